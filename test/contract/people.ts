import { beforeEach, describe, expect, test } from 'vitest';
import { type Erasure, newProgress, type People } from '../../shared/agent/entrypoints/people.ts';
import { now } from './harness.ts';

const ada = { tenant: 'acme', user: 'user:ada' };
/** People whose names could be confused with hers. */
const others = [
  { tenant: 'globex', user: 'user:ada' },
  { tenant: 'acme', user: 'user:bob' },
  { tenant: 'acme', user: 'user:ada#' },
  { tenant: 'acme', user: 'USER:ADA' },
  { tenant: 'acme', user: 'user:ada#S#s1' },
];

/** The contract of `People`. */
export function peopleContract(name: string, open: () => Promise<People>): void {
  describe(`${name}: deletions of people’s data`, () => {
    let people: People;
    beforeEach(async () => {
      people = await open();
    });
    const dueAt = async (at: number) => {
      const found: Erasure[] = [];
      for await (const page of people.due(at)) found.push(...page);
      return found;
    };

    test('one is begun once, and can be read; no other person’s is begun with it', async () => {
      const begun = await people.begin(ada, now);
      expect(begun).toEqual({ person: ada, requestedAt: now, at: now, progress: newProgress(now) });
      expect(await people.begin(ada, now + 1)).toEqual(begun);
      expect(await people.read(ada)).toEqual({ requestedAt: now, progress: newProgress(now) });
      for (const other of others) expect(await people.read(other)).toBeUndefined();
    });

    test('of two sweeps that move it, one has it', async () => {
      const begun = await people.begin(ada, now);
      const progress = { ...newProgress(now), memories: 3, walk: { begunAt: now, found: 2, after: 'x' } };
      const told = await Promise.all([people.move(begun, now + 5, progress), people.move(begun, now + 6)]);
      expect(told.filter(Boolean)).toHaveLength(1);
      const mine = told.find(Boolean);
      expect(await dueAt(now + 6)).toEqual([mine]);
      expect(await people.move(begun, now + 7)).toBeUndefined();
    });

    test('its progress is kept when it is moved, and stays if none is given', async () => {
      const progress = { ...newProgress(now), left: 3, cleanAt: now };
      const moved = await people.move(await people.begin(ada, now), now + 5, progress);
      if (!moved) throw new Error('it was not moved');
      expect(await people.move(moved, now + 6)).toMatchObject({ at: now + 6, progress });
      expect(await people.read(ada)).toEqual({ requestedAt: now, progress });
    });

    test('it is due at its time, and not after its end', async () => {
      const begun = await people.begin(ada, now);
      await people.begin(others[1] ?? ada, now + 10);
      expect(await dueAt(now - 1)).toEqual([]);
      expect(await dueAt(now)).toEqual([begun]);
      await people.finish(begun, now + 1);
      expect(await dueAt(now + 9)).toEqual([]);
      expect(await dueAt(now + 10)).toHaveLength(1);
    });

    test('its record stays after its end, and another deletion may begin', async () => {
      const begun = await people.begin(ada, now);
      await people.finish({ ...begun, progress: { ...begun.progress, sessions: 2 } }, now + 1);
      expect(await people.read(ada)).toEqual({
        requestedAt: now,
        doneAt: now + 1,
        progress: { ...newProgress(now), sessions: 2 },
      });
      expect(await people.move(begun, now + 2)).toBeUndefined();
      expect(await people.begin(ada, now + 3)).toMatchObject({ requestedAt: now + 3 });
      expect((await people.read(ada))?.doneAt).toBeUndefined();
    });

    test('a sweep that has lost it does not end it', async () => {
      const begun = await people.begin(ada, now);
      await people.move(begun, now + 5);
      await people.finish(begun, now + 6);
      expect((await people.read(ada))?.doneAt).toBeUndefined();
    });

    test('sessions are noted once, marked and struck, for each person apart', async () => {
      expect(await people.note(ada, 's1')).toBe('new');
      expect(await people.note(ada, 's1')).toBe('known');
      expect(await people.note(ada, 's2')).toBe('new');
      for (const other of others) expect(await people.noted(other)).toEqual([]);
      await people.mark(ada, { sessionId: 's1', state: 'buried', buriedAt: now });
      const noted = async () =>
        [...(await people.noted(ada))].sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
      expect(await noted()).toEqual([
        { sessionId: 's1', state: 'buried', buriedAt: now },
        { sessionId: 's2', state: 'open' },
      ]);
      expect(await people.note(ada, 's1')).toBe('known');
      await people.strike(ada, 's1');
      await people.strike(ada, 's1');
      expect(await noted()).toEqual([{ sessionId: 's2', state: 'open' }]);
    });

    test('a note that was struck is not marked', async () => {
      await people.note(ada, 's1');
      await people.strike(ada, 's1');
      await people.mark(ada, { sessionId: 's1', state: 'erased', buriedAt: now });
      expect(await people.noted(ada)).toEqual([]);
    });
  });
}
