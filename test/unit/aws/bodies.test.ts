import { expect, test } from 'vitest';
import { createBodies, MAX_BODY_BYTES } from '../../../shared/aws/bodies.ts';
import { createBlobs } from '../../../shared/memory/blobs.ts';

/** Bodies over a store that keeps a blob when it is told to. */
function slowBodies() {
  const kept = Promise.withResolvers<void>();
  const blobs = createBlobs();
  const slow = {
    ...blobs,
    put: async (key: string, text: string) => {
      await kept.promise;
      await blobs.put(key, text);
    },
  };
  return { bodies: createBodies(slow), blobs, kept };
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  const first = await Promise.race([
    promise.then(() => 'settled'),
    new Promise((resolve) => setTimeout(resolve, 20)),
  ]);
  return first === 'settled';
};

test('the pointer to a blob is given when the blob is there, and not before', async () => {
  const { bodies, blobs, kept } = slowBodies();
  const stored = bodies.store(['acme', 'i1'], 'x'.repeat(MAX_BODY_BYTES));
  expect(await isSettled(stored)).toBe(false);
  kept.resolve();
  const body = await stored;
  if (!('blob' in body)) throw new Error('it is in its item');
  expect(await blobs.has(body.blob)).toBe(true);
  expect(await bodies.load(body)).toBe('x'.repeat(MAX_BODY_BYTES));
});

test('a blob that cannot be kept leaves no pointer', async () => {
  const { bodies, kept } = slowBodies();
  kept.reject(new Error('S3 is down'));
  await expect(bodies.store(['acme', 'i1'], 'x'.repeat(MAX_BODY_BYTES))).rejects.toThrow('S3 is down');
});

test.each([
  ['the last that fits', 'x'.repeat(MAX_BODY_BYTES - 2), 'body'],
  ['the first that does not', 'x'.repeat(MAX_BODY_BYTES - 1), 'blob'],
  ['text of more bytes than characters', 'ä'.repeat(MAX_BODY_BYTES / 2), 'blob'],
])('a body is in its item or beside it by its bytes: %s', async (_what, text, where) => {
  const { bodies, kept } = slowBodies();
  kept.resolve();
  expect(Object.keys(await bodies.store(['acme', 'i1'], text))).toEqual([where]);
});
