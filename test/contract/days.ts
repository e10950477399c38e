import { beforeEach, describe, expect, test } from 'vitest';
import type { Activity, Course, Days } from '../../shared/agent/entrypoints/days/store.ts';
import { emptyTally } from '../../shared/agent/entrypoints/days/tally.ts';
import type { Listings } from '../../shared/agent/ports/listings.ts';
import type { State } from '../../shared/contract/session.ts';
import { aSession, minutes, now } from './harness.ts';

const tally = { ...emptyTally, sessions: 2, reasons: [{ name: 'completed', runs: 2 }] };
/** Tenants whose names could be confused. */
const others = ['globex', 'acm', 'acme-2'];

/** The contract of `Days`. */
export function daysContract(name: string, open: () => Promise<Days>): void {
  describe(`${name}: counted days`, () => {
    let days: Days;
    beforeEach(async () => {
      days = await open();
    });
    const dueAt = async (at: number) => {
      const found: Course[] = [];
      for await (const page of days.due(at)) found.push(...page);
      return found;
    };
    const begun = async (tenant = 'acme') => {
      await days.begin(tenant, '2026-11-20', now);
      const course = (await dueAt(now)).find((one) => one.tenant === tenant);
      if (!course) throw new Error('it is not due');
      return course;
    };

    test('a course is begun once, and is due from then on', async () => {
      expect(await begun()).toEqual({ tenant: 'acme', day: '2026-11-20', at: now });
      await days.begin('acme', '2026-11-22', now + 5);
      expect(await dueAt(now)).toEqual([{ tenant: 'acme', day: '2026-11-20', at: now }]);
      expect(await dueAt(now - 1)).toEqual([]);
      await days.begin('globex', '2026-11-20', now + 5);
      expect(await dueAt(now + 5)).toHaveLength(2);
    });

    test('of two sweeps that move it, one has it; a part is kept, and ends with its day', async () => {
      const course = await begun();
      const part = { after: 's7', tally };
      const to = { day: '2026-11-20', at: now + 5, part };
      const told = await Promise.all([days.move(course, to), days.move(course, { ...to, at: now + 6 })]);
      const moved = told.filter((one) => one !== undefined);
      expect(moved).toHaveLength(1);
      expect(await dueAt(now + 6)).toEqual(moved);
      const [mine = course] = moved;
      expect(mine.part).toEqual(part);
      expect(await days.move(course, to)).toBeUndefined();
      const next = { tenant: 'acme', day: '2026-11-21', at: now + 9 };
      expect(await days.move(mine, { day: next.day, at: next.at })).toEqual(next);
      expect(await dueAt(now + 9)).toEqual([next]);
    });

    test('a day that is put again replaces the earlier count', async () => {
      await days.put('acme', { day: '2026-11-20', tally: emptyTally });
      await days.put('acme', { day: '2026-11-20', tally });
      expect(await days.read('acme', '2026-11-20', '2026-11-20')).toEqual([{ day: '2026-11-20', tally }]);
    });

    test('days are read from one to another, oldest first, of one tenant', async () => {
      for (const day of ['2026-11-21', '2026-11-19', '2026-11-20', '2026-12-01'])
        await days.put('acme', { day, tally });
      const read = async (tenant: string, from: string, to: string) =>
        (await days.read(tenant, from, to)).map(({ day }) => day);
      expect(await read('acme', '2026-11-20', '2026-11-30')).toEqual(['2026-11-20', '2026-11-21']);
      expect(await read('acme', '2026-12-02', '2026-12-30')).toEqual([]);
      for (const other of others) expect(await read(other, '2026-11-01', '2026-12-30')).toEqual([]);
    });

    test('removing them ends the course, and leaves those of others', async () => {
      for (const tenant of ['acme', ...others]) {
        await days.put(tenant, { day: '2026-11-20', tally });
        await begun(tenant);
      }
      await days.remove('acme');
      await days.remove('acme');
      expect(await days.read('acme', '2026-11-01', '2026-12-30')).toEqual([]);
      expect((await dueAt(now)).map(({ tenant }) => tenant).sort()).toEqual([...others].sort());
      expect(await days.read('globex', '2026-11-01', '2026-12-30')).toHaveLength(1);
    });
  });
}

/** The contract of `Activity`. */
export function activityContract(
  name: string,
  open: () => Promise<{ readonly listings: Listings; readonly activity: Activity }>,
): void {
  test(`${name}: sessions with activity since a moment, and those that run`, async () => {
    const { listings, activity } = await open();
    const moved = (sessionId: string, state: State, at: number, order: number, tenant = 'acme') =>
      listings.moved(
        { tenant, sessionId },
        { agent: 'triage', state, steps: 1, totals: aSession().totals, at, order },
        { title: sessionId, source: 'http' },
      );
    const states: State[] = ['completed', 'error', 'waiting_for_input', 'cancelled'];
    for (const [i, state] of states.entries()) {
      await moved(`new-${state}`, 'running', now - i * minutes, 1);
      await moved(`new-${state}`, state, now + minutes, 2);
      await moved(`old-${state}`, state, now - minutes, 2);
    }
    await moved('going', 'running', now - 9 * minutes, 1);
    await moved('theirs', 'completed', now + minutes, 2, 'acme-2');
    const found = new Map<string, number>();
    for await (const page of activity.since('acme', now))
      for (const { sessionId, createdAt } of page) found.set(sessionId, createdAt);
    expect(Object.fromEntries(found)).toEqual({
      ...Object.fromEntries(states.map((state, i) => [`new-${state}`, now - i * minutes])),
      going: now - 9 * minutes,
    });
  });
}
