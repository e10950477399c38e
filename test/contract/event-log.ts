import { beforeEach, describe, expect, test } from 'vitest';
import { aFrame, frames, key, type OpenStores, oddText, ofBytes, type Stores, seqs } from './harness.ts';

/** The contract of `EventLog`. */
export function eventLogContract(name: string, open: OpenStores): void {
  describe(`${name}: event log`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });
    const append = (from: number, to: number) => stores.log.append(key, frames(from, to));
    const read = async (after: number, limit = 1000, upTo?: number) =>
      seqs(await stores.log.read(key, after, limit, upTo));

    test('returns what was added, in order', async () => {
      await append(4, 6);
      await append(1, 3);
      expect(await stores.log.read(key, 0, 1000)).toEqual(frames(1, 6));
    });

    test('is empty if nothing was added', async () => {
      expect(await read(0)).toEqual([]);
      await stores.log.append(key, []);
      expect(await read(0)).toEqual([]);
      await append(1, 2);
      expect(seqs(await stores.log.read({ ...key, sessionId: 's2' }, 0, 10))).toEqual([]);
    });

    test('is read after a cursor that may be inside a batch, at its end or beyond it', async () => {
      await append(1, 5);
      await append(6, 9);
      expect(await read(3)).toEqual([4, 5, 6, 7, 8, 9]);
      expect(await read(5)).toEqual([6, 7, 8, 9]);
      expect(await read(9)).toEqual([]);
      expect(await read(100)).toEqual([]);
    });

    test('is read up to and including a frame', async () => {
      await append(1, 5);
      await append(6, 9);
      expect(await read(0, 1000, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await read(2, 1000, 5)).toEqual([3, 4, 5]);
      expect(await read(7, 1000, 7)).toEqual([]);
      expect(await read(7, 1000, 3)).toEqual([]);
    });

    test('is read in parts without gaps', async () => {
      for (let seq = 1; seq <= 150; seq += 3) await append(seq, seq + 2);
      const all: number[] = [];
      for (let after = 0; ; after = all.at(-1) ?? 0) {
        const piece = await read(after, 7);
        if (piece.length === 0) break;
        expect(piece.length).toBeLessThanOrEqual(7);
        all.push(...piece);
      }
      expect(all).toEqual(seqs(frames(1, 150)));
      expect(await read(0, 1000)).toEqual(seqs(frames(1, 150)));
      expect(await read(0, 0)).toEqual([]);
    });

    test('does not change when a batch is written again', async () => {
      await append(1, 5);
      await append(1, 5);
      expect(await read(0)).toEqual([1, 2, 3, 4, 5]);
    });

    test('shows frames once that were written in several batches', async () => {
      await append(1, 3);
      await append(4, 5);
      await append(2, 6);
      await append(5, 6);
      expect(await read(0)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await read(0, 4)).toEqual([1, 2, 3, 4]);
      expect(await read(3, 2)).toEqual([4, 5]);
    });

    for (const end of [7, 8, 20]) {
      test(`a batch up to ${end} fills the gap of a batch that was lost before 6 and 7`, async () => {
        await append(1, 3);
        await append(6, 7);
        await append(4, end);
        expect(await read(3, 2)).toEqual([4, 5]);
        expect(await read(3, 1)).toEqual([4]);
        expect(await read(0)).toEqual(seqs(frames(1, end)));
      });
    }

    test('a shorter batch with the same end removes nothing', async () => {
      await append(1, 6);
      await append(5, 6);
      expect(await read(0)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test('frames may skip seqs, and their order holds for seqs of any length', async () => {
      const jumps = [9, 10, 99, 100, 1_000_000, 4_503_599_627_370_496].map((seq) => aFrame(seq));
      for (const frame of [...jumps].reverse()) await stores.log.append(key, [frame]);
      expect(await stores.log.read(key, 0, 10)).toEqual(jumps);
      expect(await read(10, 2)).toEqual([99, 100]);
    });

    test('keeps any text, even more than an item holds', async () => {
      const large = [aFrame(1, oddText), ...[2, 3, 4, 5].map((seq) => aFrame(seq, ofBytes(90_000)))];
      await stores.log.append(key, [...large, aFrame(6, ofBytes(600_000)), aFrame(7)]);
      const read = await stores.log.read(key, 0, 100);
      expect(seqs(read)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(read.slice(1, 5)).toEqual(large.slice(1));
      expect(JSON.stringify(read[0])).toBe(JSON.stringify(large[0]));
      expect(seqs(await stores.log.read(key, 5, 1))).toEqual([6]);
    });
  });
}
