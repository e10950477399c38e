import { beforeEach, describe, expect, test } from 'vitest';
import { blobKey } from '../../shared/agent/plain/blob-key.ts';
import { type OpenStores, ofBytes, type Stores } from './harness.ts';

/** What every `Blobs` does. */
export function blobsContract(name: string, open: OpenStores): void {
  describe(`${name}: blobs`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });

    test('come back as they were put', async () => {
      const body = `☕ 👩‍🚀 ${ofBytes(2_000_000)}`;
      await stores.blobs.put('acme#s1/M#1/a b+c', body);
      expect(await stores.blobs.get('acme#s1/M#1/a b+c')).toBe(body);
    });

    test('that were never put are undefined', async () => {
      expect(await stores.blobs.get('acme#s1/none')).toBeUndefined();
    });

    test('are replaced by a later put', async () => {
      await stores.blobs.put('acme#s1/x', 'one');
      await stores.blobs.put('acme#s1/x', 'two');
      await stores.blobs.put('acme#s1/empty', '');
      expect(await stores.blobs.get('acme#s1/x')).toBe('two');
      expect(await stores.blobs.get('acme#s1/empty')).toBe('');
    });

    test.each(['acme#s1/../x', 'acme#s1/./x', '../x', 'acme#s1//x', '', 'acme#s1/'])(
      'have no key like %j, which the path of a URL would make another',
      async (blob) => {
        await expect(stores.blobs.put(blob, 'one')).rejects.toThrow('build it with blobKey');
        await expect(stores.blobs.get(blob)).rejects.toThrow('build it with blobKey');
      },
    );

    test.each(['.', '..', '...', '', '%2E%2E', '../../other#session/x', 'a\\..\\b', 'é \ud800 ?a=b#c%'])(
      'are kept under any part of a key: %j',
      async (part) => {
        const blob = blobKey('acme', part, 'x');
        expect(blob.split('/')).toHaveLength(3);
        await stores.blobs.put(blob, part.toWellFormed());
        expect(await stores.blobs.get(blob)).toBe(part.toWellFormed());
        expect(await stores.blobs.get('acme/x')).toBeUndefined();
        expect(await stores.blobs.get('x')).toBeUndefined();
      },
    );
  });
}
