import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_PACK_BYTES } from '../../shared/agent/ports/sessions.ts';
import type { ModelSlot, Slot } from '../../shared/agent/session/slots.ts';
import { aSlot, key, noise, type OpenStores, oddText, ofBytes, type Stores } from './harness.ts';

/** Packs, from which a `SessionStore` reads a long context. */
export function packContract(name: string, open: OpenStores): void {
  let stores: Stores;
  beforeEach(async () => {
    stores = await open();
  });

  const slots = (from: number, below: number, text = 'slot'): Slot[] =>
    Array.from({ length: below - from }, (_, i) => aSlot(from + i, `${text} ${from + i}`));
  const keep = (all: readonly Slot[]) =>
    Promise.all(all.map((slot) => stores.sessions.putSlot(key, 1, slot)));
  const pack = (all: readonly Slot[], id = 'p1') => stores.sessions.putPack(key, id, all);
  const packs = (from: number, below: number, id = 'p1') => stores.sessions.packs(key, id, from, below);

  describe(`${name}: packs`, () => {
    test('return the slots of a range in order, from the middle of one to the middle of another', async () => {
      for (const [from, below] of [
        [9, 12],
        [0, 3],
        [3, 9],
      ] as const)
        await pack(slots(from, below));
      expect(await packs(0, 12)).toEqual(slots(0, 12));
      expect(await packs(1, 11)).toEqual(slots(1, 11));
      expect(await packs(4, 5)).toEqual(slots(4, 5));
      expect(await packs(5, 5)).toEqual([]);
    });

    test('return each slot byte for byte', async () => {
      const odd = { ...aSlot(0, oddText), zebra: 1, apple: { b: [], a: null } };
      await pack([odd, aSlot(1, noise(1_000))]);
      expect(JSON.stringify(await packs(0, 2))).toBe(JSON.stringify([odd, aSlot(1, noise(1_000))]));
    });

    test('are completed by slots that no pack has: before, between and after', async () => {
      await keep(slots(0, 10));
      await pack(slots(1, 3, 'packed'));
      await pack(slots(5, 8, 'packed'));
      const read = [
        ...slots(0, 1),
        ...slots(1, 3, 'packed'),
        ...slots(3, 5),
        ...slots(5, 8, 'packed'),
        ...slots(8, 10),
      ];
      expect(await packs(0, 10)).toEqual(read);
      expect(await packs(2, 6)).toEqual(read.slice(2, 6));
      expect(await packs(3, 5)).toEqual(read.slice(3, 5));
    });

    test('of which none exists are read as slots, and one that appears later is used', async () => {
      await keep(slots(0, 4));
      expect(await packs(0, 4)).toEqual(slots(0, 4));
      await pack(slots(4, 6));
      expect(await packs(0, 6)).toEqual(slots(0, 6));
    });

    test('may overlap: each slot is returned once', async () => {
      await pack(slots(0, 4));
      await pack(slots(0, 6));
      await pack(slots(3, 8));
      expect(await packs(0, 8)).toEqual(slots(0, 8));
      expect(await packs(5, 7)).toEqual(slots(5, 7));
    });

    test('that are put again are the same', async () => {
      await pack(slots(0, 2));
      await pack(slots(0, 2));
      expect(await packs(0, 2)).toEqual(slots(0, 2));
    });

    test('of other sessions and with another id are not seen', async () => {
      await keep(slots(0, 2));
      await stores.sessions.putPack({ ...key, sessionId: 's10' }, 'p1', slots(0, 2, 'of s10'));
      await stores.sessions.putPack({ ...key, tenant: 'globex' }, 'p1', slots(0, 2, 'of globex'));
      await pack(slots(0, 2, 'of p2'), 'p2');
      await pack(slots(0, 2, 'of p10'), 'p10');
      expect(await packs(0, 2)).toEqual(slots(0, 2));
      expect(await packs(0, 2, 'p2')).toEqual(slots(0, 2, 'of p2'));
    });

    test('hold the maximum of any content', async () => {
      const most = MAX_PACK_BYTES - JSON.stringify(aSlot(0, '')).length;
      for (const text of [noise(most), ofBytes(most)]) {
        stores = await open();
        await pack([aSlot(0, text)]);
        expect(await packs(0, 1)).toEqual([aSlot(0, text)]);
      }
    });

    test('leave slots that are larger than an item where they are', async () => {
      const large = aSlot(2, ofBytes(1_000_000));
      await keep([large]);
      await pack(slots(0, 2));
      await pack(slots(3, 5));
      expect(await packs(0, 5)).toEqual([...slots(0, 2), large, ...slots(3, 5)]);
    });

    test('may be more than one response of the store holds', async () => {
      const many = Array.from({ length: 6 }, (_, n) => aSlot(n, noise(250_000)));
      for (const slot of many) await pack([slot]);
      expect(await packs(0, 6)).toEqual(many);
    });

    test('cannot be changed by their writer or by a reader', async () => {
      const mine = slots(0, 2);
      await pack(mine);
      tryTo(() => Object.assign(mine[0] ?? {}, { step: 99 }));
      const [first] = await packs(0, 2);
      tryTo(() => Object.assign(first ?? {}, { step: 99 }));
      tryTo(() => Object.assign((first as ModelSlot).input[0] ?? {}, { text: 'mine' }));
      expect(await packs(0, 2)).toEqual(slots(0, 2));
    });

    test('are the same objects while they are cached, so that derived values can be cached too', async () => {
      await keep(slots(2, 3));
      await pack(slots(0, 2));
      const [first, second] = [await packs(0, 3), await packs(1, 3)];
      expect(second[0]).toBe(first[1]);
    });
  });
}

/** A frozen value refuses changes. */
function tryTo(change: () => unknown): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
