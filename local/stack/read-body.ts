import type { IncomingMessage } from 'node:http';

/** How reading a request's body ended. */
export type BodyRead = { kind: 'read'; bytes: Buffer } | { kind: 'tooLarge' } | { kind: 'aborted' };

/** Reads a body of at most `limit` bytes. Never rejects. Bytes over the limit are drained, not kept. */
export function readBody(request: IncomingMessage, limit: number): Promise<BodyRead> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
    });
    request.on('end', () =>
      resolve(size > limit ? { kind: 'tooLarge' } : { kind: 'read', bytes: Buffer.concat(chunks) }),
    );
    request.on('error', () => resolve({ kind: 'aborted' }));
    request.on('close', () => resolve({ kind: 'aborted' }));
  });
}
