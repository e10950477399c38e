import { describe, expect, test } from 'vitest';
import { contentAt, rememberContent } from '../../../shared/agent/workspace/cache.ts';

/** A store that records its calls, and a clock that stands still. */
function asked(sizes: Readonly<Record<string, number>>) {
  const reads: string[] = [];
  const clock = { at: 0, now: () => clock.at };
  const blobs = {
    getBytes: async (key: string) => {
      reads.push(key);
      return key in sizes ? new Uint8Array(sizes[key] ?? 0) : undefined;
    },
  };
  return { reads, clock, blobs, read: (key: string) => contentAt(key, blobs, clock) };
}

describe('T26: the content cache of a worker', () => {
  test('T26: content is not read again for five minutes', async () => {
    const { reads, clock, read } = asked({ a: 10 });
    await read('a');
    clock.at = 299_999;
    expect(await read('a')).toHaveLength(10);
    expect(reads).toEqual(['a']);
    clock.at = 300_000;
    await read('a');
    expect(reads).toEqual(['a', 'a']);
  });

  test('T26: beyond 5 MB the least recently used content is evicted first', async () => {
    const { reads, read } = asked({ a: 2_000_000, b: 2_000_000, c: 2_000_000 });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await read(key);
    expect(reads).toEqual(['a', 'b', 'c', 'b']);
  });

  test('T26: content that is larger than the cache is returned, and not cached', async () => {
    const { reads, read } = asked({ big: 5_000_001 });
    expect(await read('big')).toHaveLength(5_000_001);
    await read('big');
    expect(reads).toEqual(['big', 'big']);
  });

  test('T26: written content is cached; missing content is requested each time', async () => {
    const { reads, blobs, clock, read } = asked({});
    rememberContent('a', new Uint8Array(3), blobs, clock);
    expect(await read('a')).toHaveLength(3);
    expect([await read('b'), await read('b')]).toEqual([undefined, undefined]);
    expect(reads).toEqual(['b', 'b']);
  });

  test('T26: the content of one store is not used for another', async () => {
    const [one, other] = [asked({ a: 1 }), asked({ a: 2 })];
    await one.read('a');
    expect(await other.read('a')).toHaveLength(2);
  });
});
