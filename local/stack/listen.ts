import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The only interface that the embedded stack listens on. */
export const LOOPBACK = '127.0.0.1';

/**
 * How long a client may keep an unused connection, in ms. Node's default is 5 s, and a busy process notices its end late: a
 * client that reuses the connection at that moment gets ECONNRESET for a request that the server has never seen.
 */
const KEEP_ALIVE_MS = 60_000;

/**
 * Binds a server to the loopback interface and resolves to its port; 0 means any free one. Rejects with advice if the port is
 * taken. `what` names the server in that message.
 */
export function listen(server: HttpServer, port: number, what: string): Promise<number> {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      reject(refusals.has(error.code ?? '') ? portRefused(port, what, error) : error);
    server.once('error', failed);
    server.listen(port, LOOPBACK, () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops listening and resolves once the server is closed; call `server.closeAllConnections` first if it must not wait. */
export function closed(server: HttpServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** How an HTTP server ends: `close` accepts nothing new, `stop` drops what is left and resolves once it is closed. */
export const endingOf = (server: HttpServer) => ({
  close() {
    server.close();
    server.closeIdleConnections();
  },
  async stop() {
    server.closeAllConnections();
    await closed(server);
  },
});

/** Why a port is not available, and what to do. */
const refusals = new Map([
  ['EADDRINUSE', ['is already in use', 'stop what listens there, or start with another port']],
  ['EACCES', ['is reserved for other users', 'start with a port above 1023']],
]);

function portRefused(port: number, what: string, cause: NodeJS.ErrnoException): Error {
  const [why, advice] = refusals.get(cause.code ?? '') ?? [];
  return new Error(`port ${port} for the ${what} ${why} on ${LOOPBACK}: ${advice}`, { cause });
}
