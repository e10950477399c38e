import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Access } from './access.ts';
import type { Call } from './call.ts';
import type { OverLimit, Refuse } from './refusals.ts';
import { refusalOfHeaders, type SigningService } from './signature.ts';
import type { WantedBy } from './wanted.ts';

/** The checks before the services of one port, which are told apart by their requests' targets (`x-amz-target`). */
export interface Door {
  /** Undefined: every caller may do everything. */
  readonly access: Access | undefined;
  readonly wantedBy: WantedBy;
  serviceOf(target: string): SigningService;
  refuse(target: string): Refuse;
  /** The limit of the service that a call exceeds, if the service itself does not check it. */
  overLimit?(call: Call): OverLimit | undefined;
  /** Requests whose signature is verified elsewhere: signed links (`services/presigned.ts`). */
  isOpen?(query: URLSearchParams): boolean;
}

/**
 * Intercepts a service's server, in the same process: the signature of each request is verified, then its caller's role and
 * the service's limits are checked, and it is forwarded unchanged or refused.
 */
export function standBefore(
  server: Server,
  { access, wantedBy, serviceOf, refuse, overLimit, isOpen }: Door,
): void {
  intercept(server, (request, response, pass) => {
    void whole(request).then((body) => {
      // Its caller died in the middle of it.
      if (body === undefined) return;
      const { method = 'GET', url = '/', headers } = request;
      const target = String(headers['x-amz-target'] ?? '');
      const signed = { method, url, headers, body: hasKnownLength(request) ? body : undefined };
      const why = isOpen?.(queryOf(url))
        ? undefined
        : refusalOfHeaders(serviceOf(target), signed, Date.now());
      if (why) return refuse(target)(response, why);
      const key = accessKeyOf(request);
      const call = { method, url, target, body };
      const message = key.startsWith('local-') ? access?.refusalOf(key, wantedBy(call)) : undefined;
      const refusal = message === undefined ? overLimit?.(call) : ({ kind: 'denied', message } as const);
      if (refusal === undefined) pass(request, response);
      else refuse(target)(response, refusal);
    });
  });
}

/** The parameters of a URL. */
export const queryOf = (url: string): URLSearchParams =>
  new URLSearchParams(url.split('?').slice(1).join('?'));

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

/** An upload in pieces does not say its length. */
const hasKnownLength = ({ headers }: IncomingMessage): boolean => headers['transfer-encoding'] === undefined;

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
