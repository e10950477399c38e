import { describe, expect, test } from 'vitest';
import { contentAt, rememberContent } from '../../../shared/agent/workspace/cache.ts';

/** A store that notes what is asked of it, and a clock that stands. */
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

describe('T26: the content that a worker remembers', () => {
  test('T26: what was read is not asked for again, for five minutes', async () => {
    const { reads, clock, read } = asked({ a: 10 });
    await read('a');
    clock.at = 299_999;
    expect(await read('a')).toHaveLength(10);
    expect(reads).toEqual(['a']);
    clock.at = 300_000;
    await read('a');
    expect(reads).toEqual(['a', 'a']);
  });

  test('T26: of more than 5 MB what was asked for longest ago goes first', async () => {
    const { reads, read } = asked({ a: 2_000_000, b: 2_000_000, c: 2_000_000 });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await read(key);
    expect(reads).toEqual(['a', 'b', 'c', 'b']);
  });

  test('T26: what is larger than all of it is given, and not remembered', async () => {
    const { reads, read } = asked({ big: 5_000_001 });
    expect(await read('big')).toHaveLength(5_000_001);
    await read('big');
    expect(reads).toEqual(['big', 'big']);
  });

  test('T26: what was just written is known; what is not there is asked for each time', async () => {
    const { reads, blobs, clock, read } = asked({});
    rememberContent('a', new Uint8Array(3), blobs, clock);
    expect(await read('a')).toHaveLength(3);
    expect([await read('b'), await read('b')]).toEqual([undefined, undefined]);
    expect(reads).toEqual(['b', 'b']);
  });

  test('T26: one store’s content is not another’s', async () => {
    const [one, other] = [asked({ a: 1 }), asked({ a: 2 })];
    await one.read('a');
    expect(await other.read('a')).toHaveLength(2);
  });
});
