import { beforeEach, describe, expect, test } from 'vitest';
import { blobKey } from '../../shared/agent/plain/blob-key.ts';
import type { Blobs } from '../../shared/agent/ports/blobs.ts';
import type { Links } from '../../shared/edge/links.ts';

/** Links, where their objects are, and what answers requests to them. */
export interface LinksUnderTest {
  readonly links: Links;
  readonly blobs: Pick<Blobs, 'get' | 'put'>;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  pass(seconds: number): Promise<void>;
}

const key = blobKey('_uploads', 'acme', 'u1 é');
const png = { mediaType: 'image/png', bytes: 5, seconds: 900 };

/** The contract of `Links`. */
export function linksContract(name: string, open: () => Promise<LinksUnderTest>): void {
  describe(`${name}: links`, () => {
    let at: LinksUnderTest;
    beforeEach(async () => {
      at = await open();
    });

    const put = (url: string, body: string, type = 'image/png') =>
      at.fetch(url, { method: 'PUT', body, headers: { 'content-type': type } });

    test('what is put to a link becomes the object', async () => {
      const { url, headers } = await at.links.uploadTo(key, png);
      const answer = await at.fetch(url, { method: 'PUT', body: 'bytes', headers });
      expect(answer.status).toBe(200);
      expect(await at.blobs.get(key)).toBe('bytes');
    });

    test.each([
      ['another length', 'longer than said', 'image/png'],
      ['less', 'byte', 'image/png'],
      ['another type', 'bytes', 'text/html'],
    ])('%s than was signed is refused, and nothing is stored', async (_what, body, type) => {
      const { url } = await at.links.uploadTo(key, png);
      expect((await put(url, body, type)).status).toBe(403);
      expect(await at.blobs.get(key)).toBeUndefined();
    });

    test('a link is valid for its own object and method only', async () => {
      const { url } = await at.links.uploadTo(key, png);
      const download = await at.links.downloadFrom(key, { name: 'x', mediaType: 'text/plain', seconds: 60 });
      expect((await at.fetch(url)).status).toBe(403);
      expect((await put(download, 'bytes')).status).toBe(403);
      expect(await at.blobs.get(key)).toBeUndefined();
    });

    test('a download has the given name and type', async () => {
      await at.blobs.put(key, 'hello');
      const as = { name: 'naïve "plan";\n.txt', mediaType: 'application/octet-stream', seconds: 60 };
      const answer = await at.fetch(await at.links.downloadFrom(key, as));
      expect(await answer.text()).toBe('hello');
      expect(answer.headers.get('content-type')).toBe('application/octet-stream');
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="na_ve _plan___.txt"; filename*=UTF-8''na%C3%AFve%20%22plan%22%3B%0A.txt`,
      );
    });

    test('what may be shown inline is shown', async () => {
      await at.blobs.put(key, 'hello');
      const as = { name: 'a.png', mediaType: 'image/png', inline: true, seconds: 60 };
      const answer = await at.fetch(await at.links.downloadFrom(key, as));
      expect(answer.headers.get('content-disposition')).toMatch(/^inline; filename="a\.png"/);
    });

    test('a link to a missing object can be made, and leads nowhere', async () => {
      const url = await at.links.downloadFrom(blobKey('acme', 'none'), {
        name: 'x',
        mediaType: 'text/plain',
        seconds: 60,
      });
      expect((await at.fetch(url)).status).toBe(404);
    });

    test('a link is valid for its time, and no longer', async () => {
      await at.blobs.put(key, 'hello');
      const { url } = await at.links.uploadTo(key, { ...png, seconds: 1 });
      const download = await at.links.downloadFrom(key, { name: 'x', mediaType: 'text/plain', seconds: 1 });
      await at.pass(2);
      expect((await put(url, 'bytes')).status).toBe(403);
      expect((await at.fetch(download)).status).toBe(403);
      expect(await at.blobs.get(key)).toBe('hello');
    });
  });
}
