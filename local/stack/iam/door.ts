import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Access } from './access.ts';
import type { WantedBy } from './wanted.ts';

/** Refuses a request in its service's own format. */
export type Refuse = (response: ServerResponse, message: string) => void;

/**
 * Intercepts a service's server, in the same process: each request is read completely, checked against its caller's role, and
 * forwarded unchanged or refused. Unreadable requests are left to the service.
 *
 * @param refuse chosen by the request, because the services of one port answer differently
 */
export function standBefore(
  server: Server,
  access: Access,
  wantedBy: WantedBy,
  refuse: (target: string) => Refuse,
): void {
  intercept(server, (request, response, pass) => {
    const key = accessKeyOf(request);
    if (!key.startsWith('local-')) return void pass(request, response);
    void whole(request).then((body) => {
      // Its caller died in the middle of it.
      if (body === undefined) return;
      const target = String(request.headers['x-amz-target'] ?? '');
      const call = { method: request.method ?? 'GET', url: request.url ?? '/', target, body };
      const refusal = access.refusalOf(key, wantedBy(call));
      if (refusal === undefined) pass(request, response);
      else refuse(target)(response, refusal);
    });
  });
}

/** Hands each request of a server to `handle`, in the same process. `pass` gives it to the server's own code. */
export function intercept(
  server: Server,
  handle: (
    request: IncomingMessage,
    response: ServerResponse,
    pass: (request: IncomingMessage, response: ServerResponse) => boolean,
  ) => void,
): void {
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request') return emit(event, ...args);
    const [request, response] = args as [IncomingMessage, ServerResponse];
    handle(request, response, (...passed) => emit('request', ...passed));
    return true;
  };
}

/** The access key that a request is signed with, in a header or in its query (Signature Version 4). */
export const accessKeyOf = ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): string =>
  /Credential=([^/,\s]+)\//.exec(headers.authorization ?? '')?.[1] ??
  /[?&]X-Amz-Credential=([^%&/]+)%2F/.exec(url)?.[1] ??
  '';

/** JSON 1.0 and 1.1: DynamoDB, SQS, Secrets Manager. */
export const refuseJson: Refuse = (response, message) =>
  send(
    response,
    400,
    'application/x-amz-json-1.0',
    JSON.stringify({ __type: 'AccessDeniedException', message, Message: message }),
  );

/** REST over XML: S3. */
export const refuseXml: Refuse = (response, message) =>
  send(
    response,
    403,
    'application/xml',
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
  );

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/**
 * The request's body, which is put back for its real reader. Undefined if the request was broken off. Empty if its length is
 * unknown: those are uploads to S3, of which only the path is checked.
 */
function whole(request: IncomingMessage): Promise<Buffer | undefined> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (!(length > 0)) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (body: Buffer | undefined) => {
      request.off('readable', read).off('close', broken).off('error', broken);
      resolve(body);
    };
    const broken = () => done(undefined);
    const read = () => {
      for (let chunk = request.read() as Buffer | null; chunk; chunk = request.read() as Buffer | null) {
        chunks.push(chunk);
        size += chunk.length;
        if (size < length) continue;
        const body = Buffer.concat(chunks);
        request.unshift(body);
        return done(body);
      }
    };
    request.on('readable', read).on('close', broken).on('error', broken);
  });
}
