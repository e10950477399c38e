import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import { STREAMS_OF_SESSION, type Streams } from '../../shared/edge/streams.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';

/** The contract of `Streams`. `open` is told how many a tenant may have. */
export function streamsContract(
  name: string,
  open: (clock: Clock, atOnce: number) => Promise<Streams>,
): void {
  describe(`${name}: streams`, () => {
    let clock: VirtualClock;
    let streams: Streams;
    beforeEach(async () => {
      clock = virtualClock();
      streams = await open(clock, 8);
    });

    const stream = (id: string, sessionId = 's1', tenant = 'acme') => ({ tenant, sessionId, id });
    const inAMinute = () => clock.now() + 60_000;
    const full = { retryAfterSeconds: expect.any(Number) };
    /** Those of these responses of one session that have their place. */
    async function holding(ids: readonly string[]): Promise<string[]> {
      const found = [];
      for (const id of ids) if (await streams.holds(stream(id))) found.push(id);
      return found;
    }

    test('are limited per tenant', async () => {
      for (let i = 0; i < 8; i++) expect(await streams.open(stream('a', `s${i}`), inAMinute())).toBe('open');
      expect(await streams.open(stream('a', 's9'), inAMinute())).toEqual(full);
      expect(await streams.open(stream('a', 's9', 'globex'), inAMinute())).toBe('open');
    });

    test('that arrive at once are admitted up to the limit', async () => {
      const all = Array.from({ length: 20 }, (_, i) => stream('a', `s${i}`));
      const opened = await Promise.all(all.map((one) => streams.open(one, inAMinute())));
      expect(opened.filter((result) => result === 'open')).toHaveLength(8);
    });

    test('release their places when they end', async () => {
      const until = inAMinute();
      for (let i = 0; i < 8; i++) await streams.open(stream('a', `s${i}`), until);
      await streams.close(stream('a', 's3'), until);
      expect(await streams.holds(stream('a', 's3'))).toBe(false);
      expect(await streams.open(stream('a', 's9'), until)).toBe('open');
      expect(await streams.open(stream('b', 's9'), until)).toEqual(full);
    });

    test('whose function died hold no place beyond their time', async () => {
      for (let i = 0; i < 8; i++) await streams.open(stream('a', `s${i}`), inAMinute());
      await clock.advance(59_999);
      expect(await streams.open(stream('a', 's9'), inAMinute())).toEqual(full);
      await clock.advance(1);
      for (let i = 10; i < 18; i++)
        expect(await streams.open(stream('a', `s${i}`), inAMinute())).toBe('open');
    });

    test('of one session make room for later ones, those that end first before the others', async () => {
      const ids = Array.from({ length: 60 }, (_, i) => `w${i}`);
      for (const [i, id] of ids.entries()) {
        expect(await streams.open(stream(id), inAMinute() + i)).toBe('open');
      }
      expect(await holding(ids)).toEqual(['w55', 'w56', 'w57', 'w58', 'w59']);
    });

    test('of one session leave in order of their end, not of their arrival', async () => {
      await streams.open(stream('first'), inAMinute() + 100);
      for (let i = 1; i < STREAMS_OF_SESSION; i++) await streams.open(stream(`w${i}`), inAMinute() + i);
      await streams.open(stream('last'), inAMinute() + 50);
      expect(await holding(['first', 'w1', 'w2', 'last'])).toEqual(['first', 'w2', 'last']);
    });

    test('of one session that arrive at once are few when all have arrived', async () => {
      const ids = Array.from({ length: 12 }, (_, i) => `w${i}`);
      await Promise.all(ids.map((id, i) => streams.open(stream(id), inAMinute() + i)));
      expect((await holding(ids)).length).toBeLessThanOrEqual(STREAMS_OF_SESSION);
      await streams.open(stream('last'), inAMinute() + 100);
      expect(await streams.holds(stream('last'))).toBe(true);
    });

    test('of a large tenant are limited in number, each in its place', async () => {
      streams = await open(clock, 130);
      const until = inAMinute();
      const all = Array.from({ length: 135 }, (_, i) => stream('a', `s${i}`));
      const opened: unknown[] = [];
      for (let from = 0; from < all.length; from += 45) {
        const some = all.slice(from, from + 45).map((one) => streams.open(one, until));
        opened.push(...(await Promise.all(some)));
      }
      const inside = all.filter((_, i) => opened[i] === 'open');
      expect(inside).toHaveLength(130);
      for (const [i, one] of all.entries()) expect(await streams.holds(one)).toBe(opened[i] === 'open');
      for (const one of inside) await streams.close(one, until);
      for (let i = 0; i < 130; i++) expect(await streams.open(stream('a', `late${i}`), until)).toBe('open');
      expect(await streams.open(stream('a', 'one-more'), until)).toEqual(full);
    });

    test('displace none of another session whose name begins alike', async () => {
      await streams.open(stream('a', 's10'), inAMinute());
      for (let i = 0; i < 7; i++) await streams.open(stream(`w${i}`, 's1'), inAMinute() + 10);
      expect(await streams.holds(stream('a', 's10'))).toBe(true);
    });
  });
}
