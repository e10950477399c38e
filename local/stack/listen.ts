import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The only interface that anything of the embedded stack listens on. */
export const LOOPBACK = '127.0.0.1';

/**
 * How long a client may keep a connection that it does not use, in ms. Node closes one after 5 s, which a process that is busy
 * notices late: whoever uses it again in that moment is told ECONNRESET of a request that nobody has seen.
 */
const KEEP_ALIVE_MS = 60_000;

/**
 * Binds a server to the loopback interface and resolves to its port; 0 means any free one.
 * Rejects with advice when the port is taken. `what` names the server in that message.
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

/** Stops listening and resolves once the server is closed; `server.closeAllConnections` first, if it must not wait. */
export function closed(server: HttpServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** How an HTTP server ends: `close` takes nothing new, `stop` drops what is left and resolves once it is closed. */
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

/** Why a port cannot be had, and what to do. */
const refusals = new Map([
  ['EADDRINUSE', ['is already in use', 'stop what listens there, or start with another port']],
  ['EACCES', ['is not for this user', 'start with a port above 1023']],
]);

function portRefused(port: number, what: string, cause: NodeJS.ErrnoException): Error {
  const [why, advice] = refusals.get(cause.code ?? '') ?? [];
  return new Error(`port ${port} for the ${what} ${why} on ${LOOPBACK}: ${advice}`, { cause });
}
