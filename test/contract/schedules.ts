import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Course,
  type StoredSchedule,
  type TickRecord,
  tickIdOf,
} from '../../shared/agent/schedules/schedule.ts';
import type { Schedules } from '../../shared/agent/schedules/store.ts';
import { minutes, now, oddText } from './harness.ts';

/** A schedule that is due now. */
export function aSchedule(id = 'report', over: Partial<Course> = {}, tenant = 'acme'): StoredSchedule {
  return {
    schedule: {
      key: { tenant, id },
      name: 'Report',
      agent: 'triage',
      when: { every: '1h' },
      zone: 'UTC',
      message: oddText.toWellFormed(),
      into: 'new',
      overlap: 'skip',
      catchUp: 'last',
      speaker: { by: 'user:ada', caller: { kind: 'jwt', channel: 'schedule' } },
      user: 'user:ada',
      declared: false,
      createdAt: now,
    },
    course: { state: 'active', anchor: now, nextAt: now, open: [], ...over },
    revision: 1,
  };
}

const key = { tenant: 'acme', id: 'report' };
const aRecord = (at: number, over: Partial<TickRecord> = {}): TickRecord => ({
  ...{ id: tickIdOf({ at }), at, decidedAt: at, outcome: 'started', sessionId: 's1' },
  ...over,
});

/** The contract of `Schedules`. */
export function schedulesContract(name: string, open: () => Promise<Schedules>): void {
  describe(`${name}: schedules`, () => {
    let schedules: Schedules;
    beforeEach(async () => {
      schedules = await open();
    });
    const dueAt = async (at: number) => {
      const found: string[] = [];
      for await (const page of schedules.due(at))
        found.push(...page.map(({ tenant, id, dueAt }) => `${tenant} ${id} ${dueAt - now}`));
      return found.sort();
    };

    test('one is created once, and read as it was written', async () => {
      expect(await schedules.create(aSchedule())).toBeUndefined();
      const other = { ...aSchedule(), revision: 7 };
      expect(await schedules.create(other)).toEqual(aSchedule());
      expect(await schedules.read(key)).toEqual(aSchedule());
      expect(await schedules.read({ tenant: 'globex', id: 'report' })).toBeUndefined();
      expect(await schedules.read({ tenant: 'acme', id: 'repor' })).toBeUndefined();
    });

    test('of two writes over one revision, one counts', async () => {
      await schedules.create(aSchedule());
      const to = (why: string) => ({ ...aSchedule('report', { state: 'paused', why }), revision: 2 });
      const told = await Promise.all([schedules.write(to('a')), schedules.write(to('b'))]);
      expect(told.sort()).toEqual(['moved', 'written']);
      expect((await schedules.read(key))?.revision).toBe(2);
    });

    test('one that was removed is not written again', async () => {
      await schedules.create(aSchedule());
      expect(await schedules.remove(key)).toBe('removed');
      expect(await schedules.remove(key)).toBe('unknown');
      expect(await schedules.write({ ...aSchedule(), revision: 2 })).toBe('moved');
      expect(await schedules.read(key)).toBeUndefined();
    });

    test('it is due at its next tick, or for open ones again, and at no time while it is paused', async () => {
      await schedules.create(aSchedule('at', { nextAt: now + 5 }));
      await schedules.create(aSchedule('open', { retryAt: now + 2, open: [{ at: now, takenAt: now }] }));
      await schedules.create(aSchedule('paused', { state: 'paused' }));
      const { nextAt: _, ...over } = aSchedule().course;
      await schedules.create({ ...aSchedule('done'), course: { ...over, state: 'done' } });
      await schedules.create(aSchedule('at', { nextAt: now + 3 }, 'globex'));
      expect(await dueAt(now - 1)).toEqual([]);
      expect(await dueAt(now + 2)).toEqual(['acme open 0']);
      expect(await dueAt(now + 9)).toEqual(['acme at 5', 'acme open 0', 'globex at 3']);
      await schedules.remove({ tenant: 'acme', id: 'open' });
      expect(await dueAt(now + 9)).toEqual(['acme at 5', 'globex at 3']);
    });

    test('pages follow the ids within a tenant', async () => {
      const ids = Array.from({ length: 25 }, (_, n) => `s${String(n).padStart(2, '0')}`);
      await Promise.all(ids.map((id) => schedules.create(aSchedule(id))));
      await schedules.create(aSchedule('s00', {}, 'acm'));
      const read: string[] = [];
      for (let after = ''; ; ) {
        const page = await schedules.page('acme', after, 10);
        read.push(...page.map(({ schedule }) => schedule.key.id));
        after = read.at(-1) ?? '';
        if (page.length < 10) break;
      }
      expect(read).toEqual(ids);
      expect(await schedules.count('acme', 100)).toBe(25);
      expect(await schedules.count('acme', 7)).toBe(7);
      expect(await schedules.count('ac', 7)).toBe(0);
    });

    test('the first record of a tick stands, until it is corrected', async () => {
      const first = await schedules.record(key, aRecord(now));
      expect(first).toEqual(aRecord(now));
      expect(await schedules.record(key, aRecord(now, { outcome: 'skipped', decidedAt: now + 1 }))).toEqual(
        first,
      );
      expect(await schedules.recorded(key, first.id)).toEqual(first);
      expect(await schedules.recorded({ ...key, tenant: 'globex' }, first.id)).toBeUndefined();
      const failed = aRecord(now, { outcome: 'failed', detail: oddText.toWellFormed() });
      await schedules.correct(key, failed);
      expect(await schedules.recorded(key, first.id)).toEqual(failed);
    });

    test('records are read back from the last one, a page at a time', async () => {
      const times = [0, 1, 2, 3, 4].map((n) => now + n * minutes);
      for (const at of times) await schedules.record(key, aRecord(at));
      const manual = aRecord(now + minutes, { id: tickIdOf({ at: now + minutes, run: 'rabc' }) });
      await schedules.record(key, manual);
      await schedules.record({ ...key, id: 'report2' }, aRecord(now));
      const all = (await schedules.records(key, '', 10)).map(({ id }) => id);
      expect(all).toEqual([...times.map((at) => tickIdOf({ at })), manual.id].sort().reverse());
      expect((await schedules.records(key, '', 2)).map(({ id }) => id)).toEqual(all.slice(0, 2));
      expect((await schedules.records(key, all[1] ?? '', 9)).map(({ id }) => id)).toEqual(all.slice(2));
    });

    test('it is remembered which schedules of the definition are stored', async () => {
      expect(await schedules.declared()).toBeUndefined();
      await schedules.putDeclared({ hash: 'h', keys: [key] });
      expect(await schedules.declared()).toEqual({ hash: 'h', keys: [key] });
    });
  });
}
