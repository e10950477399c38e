import { beforeEach, describe, expect, test } from 'vitest';
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
  });
}
