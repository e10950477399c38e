import type { Blobs } from '../agent/ports/blobs.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { dispositionOf, type Links } from '../edge/links.ts';

/** Links in memory, and a function that answers requests to them. */
export interface MemoryLinks extends Links {
  /** Answers a request to such a link as S3 would. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
}

/** Links to objects in memory. They are not signed: a link's terms are written in it. */
export function createLinks(
  blobs: Pick<Blobs, 'putBytes' | 'getBytes'>,
  clock: Pick<Clock, 'now'>,
): MemoryLinks {
  const link = (key: string, seconds: number, what: Readonly<Record<string, string>>): string => {
    const until = String(clock.now() + seconds * 1000);
    return `https://links.test/${key}?${new URLSearchParams({ ...what, until })}`;
  };
  return {
    uploadTo: async (key, { bytes, mediaType, seconds }) => ({
      url: link(key, seconds, { bytes: String(bytes), type: mediaType }),
      headers: { 'content-type': mediaType },
    }),
    downloadFrom: async (key, { seconds, mediaType, ...as }) =>
      link(key, seconds, { type: mediaType, disposition: dispositionOf(as) }),

    async fetch(address, init) {
      const { method, headers, body } = new Request(address, { method: 'GET', ...init });
      const { pathname, searchParams: of } = new URL(address);
      const key = pathname.slice(1);
      if (clock.now() >= Number(of.get('until'))) return new Response('expired', { status: 403 });
      if (of.has('bytes')) {
        const sent = new Uint8Array(body ? await new Response(body).arrayBuffer() : []);
        const isAsSigned =
          method === 'PUT' &&
          headers.get('content-type') === of.get('type') &&
          sent.length === Number(of.get('bytes'));
        if (!isAsSigned) return new Response('not what was signed', { status: 403 });
        await blobs.putBytes(key, sent);
        return new Response(null, { status: 200 });
      }
      if (method !== 'GET') return new Response('not what was signed', { status: 403 });
      const found = await blobs.getBytes(key);
      if (!found) return new Response('no such object', { status: 404 });
      const says = {
        'content-type': of.get('type') ?? '',
        'content-disposition': of.get('disposition') ?? '',
      };
      return new Response(new Blob([new Uint8Array(found)]), { headers: says });
    },
  };
}
