import { beforeEach, describe, expect, test } from 'vitest';
import { blobKey } from '../../shared/agent/plain/blob-key.ts';
import { type OpenStores, ofBytes, type Stores } from './harness.ts';

/** The contract of `Blobs`. */
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

    test('exist once they are put, also when they are empty', async () => {
      await stores.blobs.put('acme#s1/empty', '');
      expect(await stores.blobs.has('acme#s1/empty')).toBe(true);
      expect(await stores.blobs.has('acme#s1/none')).toBe(false);
    });

    test('are replaced by a later put', async () => {
      await stores.blobs.put('acme#s1/x', 'one');
      await stores.blobs.put('acme#s1/x', 'two');
      await stores.blobs.put('acme#s1/empty', '');
      expect(await stores.blobs.get('acme#s1/x')).toBe('two');
      expect(await stores.blobs.get('acme#s1/empty')).toBe('');
    });

    test('of bytes come back as they were put, even if the caller changes its copy', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i * 7);
      const body = bytes.slice();
      await stores.blobs.putBytes('acme#s1/bytes', body);
      body.fill(0);
      const first = await stores.blobs.getBytes('acme#s1/bytes');
      expect(first).toEqual(bytes);
      first?.fill(1);
      expect(await stores.blobs.getBytes('acme#s1/bytes')).toEqual(bytes);
      await stores.blobs.putBytes('acme#s1/nothing', new Uint8Array());
      expect(await stores.blobs.getBytes('acme#s1/nothing')).toEqual(new Uint8Array());
      expect(await stores.blobs.getBytes('acme#s1/never')).toBeUndefined();
    });

    test('of bytes and of text are the same', async () => {
      await stores.blobs.put('acme#s1/text', 'é');
      expect(await stores.blobs.getBytes('acme#s1/text')).toEqual(new Uint8Array([0xc3, 0xa9]));
      await stores.blobs.putBytes('acme#s1/bytes', new Uint8Array([0xe2, 0x98, 0x95]));
      expect(await stores.blobs.get('acme#s1/bytes')).toBe('☕');
    });

    test('that are larger than the reader accepts are refused, and others are not', async () => {
      await stores.blobs.putBytes('acme#s1/bytes', new Uint8Array(1_000));
      await expect(stores.blobs.getBytes('acme#s1/bytes', 999)).rejects.toThrow('more than 999 bytes');
      expect(await stores.blobs.getBytes('acme#s1/bytes', 1_000)).toHaveLength(1_000);
      await expect(stores.blobs.putBytes('acme#s1/../x', new Uint8Array())).rejects.toThrow('blobKey');
      await expect(stores.blobs.getBytes('acme#s1/../x')).rejects.toThrow('blobKey');
    });

    test.each(['acme#s1/../x', 'acme#s1/./x', '../x', 'acme#s1//x', '', 'acme#s1/'])(
      'cannot have a key like %j, which a URL’s path would change',
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
