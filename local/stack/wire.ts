/**
 * A test hook: sees every call of functions to the emulated services, and can break it in the two ways that networks do: the
 * request never arrives, or it is carried out and the answer is lost.
 */
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { accessKeyOf } from './iam/door.ts';
import { closed, LOOPBACK, listen } from './listen.ts';
import { readBody } from './read-body.ts';

/** One call of a function to a service. */
export interface WireCall {
  service: 'dynamodb' | 'sqs' | 's3' | 'secretsmanager' | 'kms' | 'connections';
  /** PutItem, SendMessage, PutObject, PostToConnection, … */
  operation: string;
  body: string;
  /** The name of the calling function; empty if the signature belongs to no function. */
  by: string;
}

/**
 * `before`: 'drop' = the service never sees the request. `after`: 'drop' = it did, but its response is lost. In both
 * cases the caller's socket is destroyed. May wait as long as it likes. Must not throw.
 */
export type Wire = {
  before?(call: WireCall): WireVerdict;
  after?(call: WireCall, response: { status: number; body: string }): WireVerdict;
};

/** A hook's decision; nothing = let it pass. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks on is a function without a return
export type WireVerdict = void | 'drop' | Promise<void | 'drop'>;

/** A service's answer. */
export interface WireResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Passes one call through the hooks. Resolves to 'drop' if the caller must see a broken connection. */
export async function throughWire(
  wire: Wire | undefined,
  call: WireCall,
  apply: () => Promise<WireResponse>,
): Promise<WireResponse | 'drop'> {
  if ((await wire?.before?.(call)) === 'drop') return 'drop';
  const response = await apply();
  const verdict = await wire?.after?.(call, { status: response.status, body: response.body.toString() });
  return verdict === 'drop' ? 'drop' : response;
}

/** A proxy in front of one service. */
export interface WireProxy {
  endpoint: string;
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Starts a proxy that passes every request to `target` through the hooks. */
export async function startWireProxy(
  wire: Wire,
  service: WireCall['service'],
  target: string,
): Promise<WireProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    relay(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const relay = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const read = await readBody(incoming, MAX_BODY_BYTES);
    if (read.kind !== 'read') return void outgoing.destroy();
    const operation = operationOf(service, incoming);
    const call = { service, operation, body: read.bytes.toString(), by: callerOf(incoming) };
    const response = await throughWire(wire, call, () => forward(agent, target, incoming, read.bytes));
    if (response === 'drop') return void outgoing.destroy();
    outgoing.writeHead(response.status, withoutHopHeaders(response.headers));
    outgoing.end(response.body);
  };
  const port = await listen(server, 0, `wire in front of ${service}`);
  return {
    endpoint: `http://${LOOPBACK}:${port}`,
    async stop() {
      server.closeAllConnections();
      agent.destroy();
      await closed(server);
    },
  };
}

function forward(
  agent: Agent,
  target: string,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const headers = { ...withoutHopHeaders(incoming.headers), 'content-length': body.length };
    const outgoing = request(new URL(incoming.url ?? '/', target), {
      method: incoming.method,
      agent,
      headers,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 502,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    outgoing.end(body);
  });
}

/** By the access key that a function signs with (iam/access.ts). */
export const callerOf = (incoming: Pick<IncomingMessage, 'headers' | 'url'>): string => {
  const [, name = ''] = /^local-(.+)$/.exec(accessKeyOf(incoming)) ?? [];
  return name;
};

function withoutHopHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection, 'keep-alive': keepAlive, 'transfer-encoding': encoding, expect, ...rest } = headers;
  return rest;
}

function operationOf(service: WireCall['service'], incoming: IncomingMessage): string {
  if (service === 's3') return s3Operation(incoming.method ?? 'GET', incoming.url ?? '/');
  return (
    String(incoming.headers['x-amz-target'] ?? '')
      .split('.')
      .at(-1) ?? ''
  );
}

/** The S3 operation of a path-style request, as far as objects and listings go. */
function s3Operation(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const onObject = pathname.split('/').filter(Boolean).length > 1;
  const names: Record<string, string> = onObject
    ? { GET: 'GetObject', PUT: 'PutObject', HEAD: 'HeadObject', DELETE: 'DeleteObject' }
    : { GET: 'ListObjectsV2', HEAD: 'HeadBucket', POST: 'DeleteObjects' };
  return searchParams.has('uploadId') || searchParams.has('uploads')
    ? 'MultipartUpload'
    : (names[method] ?? method);
}
