import { expect, test } from 'vitest';
import { contentKey, putContent } from '../../../shared/agent/workspace/content.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';

const key = { tenant: 'acme', sessionId: 's1' };

test('content is stored under its own hash, in its own session, and can be put again without harm', async () => {
  const { blobs } = memoryWorld();
  const bytes = new TextEncoder().encode('abc');
  const hash = await putContent(key, bytes, blobs);
  // The hash that `sha256sum` prints for the same.
  expect(hash).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await putContent(key, bytes, blobs)).toBe(hash);
  expect(await blobs.getBytes(contentKey(key, hash))).toEqual(bytes);
  expect(await blobs.getBytes(contentKey({ ...key, sessionId: 's2' }, hash))).toBeUndefined();
  expect(contentKey({ tenant: '../x', sessionId: 'a/b' }, hash).split('/')).toHaveLength(4);
});
