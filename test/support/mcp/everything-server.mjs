/** The official everything server over streamable HTTP, on a free port of this machine only. Prints the port. */

import { Server } from 'node:net';

const listen = Server.prototype.listen;
Server.prototype.listen = function listenHere(_port, ...rest) {
  return listen.call(this, Number(process.env.MCP_PORT ?? 0), '127.0.0.1', ...rest).once('listening', () => {
    process.stdout.write(`port ${this.address().port}\n`);
  });
};
await import('@modelcontextprotocol/server-everything/dist/transports/streamableHttp.js');
