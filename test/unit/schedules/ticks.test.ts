import { expect, test } from 'vitest';
import { defineSchedule } from '../../../shared/agent/define/schedule.ts';
import { pauseSchedule, resumeSchedule } from '../../../shared/agent/entrypoints/schedules/manage.ts';
import { tickAll } from '../../../shared/agent/entrypoints/schedules/ticks.ts';
import { createSchedule } from '../../../shared/agent/schedules/create.ts';
import type { StoredSchedule } from '../../../shared/agent/schedules/schedule.ts';
import { pause, runNow } from '../../../shared/agent/schedules/take.ts';
import { aSchedule, HOUR, MINUTE, START, scheduleWorld } from './schedule-world.ts';

const key = { tenant: 'acme', id: 'report' };
const declared = { name: 'own', agent: 'triage', message: 'Look.', tenants: ['acme'] };

test('a tick begins one session, with its message, by the one who has made the schedule', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ user: 'user:ada' }));
  await world.minute(65);
  expect(await world.history()).toEqual(['10:00 started']);
  const [session] = await world.sessionsOf();
  if (!session) throw new Error('none');
  const said = await world.messagesOf(session);
  expect(said.map(({ text, by }) => [text, by])).toEqual([
    ['[schedule "Report", due 2026-11-27 10:00 UTC]\nWrite it.', 'user:ada'],
  ]);
  expect((await world.sessions.read(session))?.session).toMatchObject({ agent: 'triage', user: 'user:ada' });
});

test('it is on time to the second, because the sweeper looks ahead', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule());
  await world.minute(60);
  await world.clock.advance(1_000);
  await world.look();
  expect(await world.history()).toEqual(['10:00 started']);
});

test('ticks within a minute are on time to the second without the sweeper', async () => {
  const world = await scheduleWorld();
  const now = { ...world, schedules: world.schedules };
  const minutely = { ...aSchedule(), when: { every: '1m' } } as const;
  await createSchedule(minutely, now);
  const keyOf = (id: string) => ({ tenant: 'acme', id });
  await createSchedule({ ...minutely, key: keyOf('at'), when: { at: '2026-11-27T09:00:40' } }, now);
  await createSchedule({ ...minutely, key: keyOf('paused') }, now);
  await pauseSchedule(keyOf('paused'), now);
  world.deploy([defineSchedule({ ...declared, when: { every: '1m' } })]);
  await world.queue.due({ schedules: [], declared: true });
  await world.look();
  await world.second(41);
  expect(await world.history('at')).toEqual(['09:00 started']);
  await resumeSchedule(keyOf('paused'), now);
  await world.second(81);
  for (const id of ['report', 'paused', 'own'])
    expect(await world.history(id)).toEqual(['09:01 started', '09:02 skipped']);
});

test('however often it is looked at, by however many at once, it starts once', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule());
  await world.clock.advance(HOUR);
  const context = { ...world.context, messageOf: () => undefined };
  await Promise.all(Array.from({ length: 7 }, () => tickAll([key, key], context)));
  expect(await world.history()).toEqual(['10:00 started']);
  expect(world.table.heads.size).toBe(1);
});

test('overlap skip: the next one is left out while the run goes on', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule());
  await world.minute(125);
  expect(await world.history()).toEqual(['10:00 started', '11:00 skipped']);
  await world.finish((await world.sessionsOf())[0] ?? { tenant: '', sessionId: '' });
  await world.minute(60);
  expect(await world.history()).toEqual(['10:00 started', '11:00 skipped', '12:00 started']);
});

test('overlap queue: it starts when the run has ended, and those after it in their order', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ overlap: 'queue' }));
  await world.minute(185);
  expect(await world.history()).toEqual(['10:00 started']);
  for (const expected of ['11:00 started', '12:00 started']) {
    await world.finish((await world.sessionsOf())[0] ?? { tenant: '', sessionId: '' });
    await world.minute(3);
    expect((await world.history()).at(-1)).toBe(expected);
  }
});

test('overlap cancel: the run that goes on is stopped', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ overlap: 'cancel' }));
  await world.minute(125);
  expect(await world.history()).toEqual(['10:00 started', '11:00 started']);
  const [second, first] = await world.sessionsOf();
  if (!first || !second) throw new Error('two sessions');
  expect((await world.sessions.read(first))?.fence.cancelGen).toBeGreaterThan(0);
  expect((await world.sessions.read(second))?.fence.cancelGen).toBe(0);
});

test('into the same session: its messages follow one another', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ into: 'same' }));
  await world.minute(65);
  const [session] = await world.sessionsOf();
  if (!session) throw new Error('none');
  await world.finish(session);
  await world.minute(60);
  expect(await world.history()).toEqual(['10:00 started', '11:00 started']);
  expect(new Set((await world.sessionsOf()).map(({ sessionId }) => sessionId)).size).toBe(1);
  expect(await world.messagesOf(session)).toHaveLength(2);
});

test('into a session that was deleted: it has failed, and the schedule stops', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ into: { sessionId: 'gone' } }));
  await world.minute(125);
  expect(await world.history()).toEqual(['10:00 failed']);
  expect((await world.schedules.read(key))?.course).toMatchObject({
    state: 'paused',
    why: 'The session gone was deleted.',
  });
});

test('a budget: ticks are left out once its sessions have spent it, until the next day', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ budget: { usd: 1, per: 'day' } }));
  for (let hour = 0; hour < 2; hour++) {
    await world.minute(62);
    const [last] = await world.sessionsOf();
    if (last) await world.finish(last, 0.6);
  }
  await world.minute(62);
  expect(await world.history()).toEqual(['10:00 started', '11:00 started', '12:00 over_budget']);
  await world.minute(12 * 60);
  expect((await world.history()).at(-1)).toBe('00:00 started');
});

test('after an outage the last one is started, and told that it is late', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule());
  await world.clock.advance(5 * HOUR + 20 * MINUTE);
  await world.minute(2);
  expect(await world.history()).toEqual(['10:00 missed', '14:00 started']);
  const [session] = await world.sessionsOf();
  const [said] = session ? await world.messagesOf(session) : [];
  expect(said?.text).toContain('due 2026-11-27 14:00 UTC, 20 minutes late]');
});

test('a pause between the taking of a tick and its start: it is left out', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ overlap: 'queue' }));
  await world.minute(125);
  const stored = await world.schedules.read(key);
  if (!stored) throw new Error('none');
  expect(stored.course.open).toHaveLength(1);
  await world.schedules.write({ ...stored, course: pause(stored.course), revision: stored.revision + 1 });
  await world.minute(3);
  expect(await world.history()).toEqual(['10:00 started', '11:00 skipped']);
});

test('run now: one more, at once', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule());
  const stored = await world.schedules.read(key);
  if (!stored) throw new Error('none');
  const course = runNow(stored.course, 'rabc', START + 5);
  await world.schedules.write({ ...stored, course, revision: 2 });
  await world.minute(1);
  expect(await world.history()).toEqual(['09:00 started']);
  const [session] = await world.sessionsOf();
  const [said] = session ? await world.messagesOf(session) : [];
  expect(said?.text).toContain('[schedule "Report", started by hand]');
});

test('a process that dies after the start leaves the tick open: the next one starts nothing again', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule());
  await world.clock.advance(HOUR);
  let writes = 0;
  const dying = {
    ...world.schedules,
    write: async (to: never) => {
      writes++;
      if (writes === 2) throw new Error('killed');
      return world.schedules.write(to);
    },
  };
  const context = { ...world.context, schedules: dying, messageOf: () => undefined };
  expect((await tickAll([key], context)).failures).toHaveLength(1);
  await world.minute(5);
  expect(await world.history()).toEqual(['10:00 started']);
  expect(world.table.heads.size).toBe(1);
  expect((await world.schedules.read(key))?.course.open).toEqual([]);
});

test('a deploy that changes where ticks go moves none that has begun', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ into: 'same' }));
  await world.clock.advance(HOUR);
  let writes = 0;
  const dying = {
    ...world.schedules,
    write: async (to: StoredSchedule) => {
      writes++;
      if (writes === 2) throw new Error('killed');
      return world.schedules.write(to);
    },
  };
  await tickAll([key], { ...world.context, schedules: dying, messageOf: () => undefined });
  const stored = await world.schedules.read(key);
  if (!stored) throw new Error('none');
  const schedule = { ...stored.schedule, into: 'new' as const };
  await world.schedules.write({ ...stored, schedule, revision: stored.revision + 1 });
  await world.minute(5);
  expect(world.table.heads.size).toBe(1);
  expect((await world.schedules.read(key))?.course.open).toEqual([]);
});

test('an agent that is not deployed, and a message that throws: it has failed, and the history says why', async () => {
  const world = await scheduleWorld();
  await world.add(aSchedule({ agent: 'absent' }));
  world.deploy([
    defineSchedule({
      ...{ name: 'bad', agent: 'triage', when: { cron: '0 * * * *' }, tenants: ['acme'] },
      message: () => {
        throw new Error('no data');
      },
    }),
  ]);
  await world.minute(65);
  expect(await world.history()).toEqual(['10:00 failed']);
  const [record] = await world.schedules.records({ tenant: 'acme', id: 'bad' }, '', 9);
  expect(record).toMatchObject({ outcome: 'failed', detail: 'Its message threw: Error: no data' });
});

test('a function makes the message from the tick', async () => {
  const world = await scheduleWorld();
  world.deploy([
    defineSchedule({
      ...{ name: 'facts', agent: 'triage', when: { cron: '0 * * * *' }, zone: 'Asia/Tokyo' },
      message: ({ tenant, local }) => ({ tenant, local }),
      tenants: ['acme', 'globex'],
    }),
  ]);
  await world.minute(65);
  const [session] = await world.sessionsOf('facts', 'globex');
  const [said] = session ? await world.messagesOf(session) : [];
  expect(said?.text).toContain('"tenant": "globex",\n  "local": "2026-11-27T19:00"');
  expect(said).toMatchObject({ by: 'schedule:facts', caller: { kind: 'schedule', channel: 'schedule' } });
});

test('deploys add, change and remove schedules of the definition; unchanged ones keep their course', async () => {
  const world = await scheduleWorld();
  const daily = (over: object = {}) =>
    defineSchedule({
      ...{ name: 'a', agent: 'triage', when: { every: '2h' }, message: 'go', tenants: ['acme', 'globex'] },
      ...over,
    });
  const other = daily({ name: 'b' });
  world.deploy([daily(), other]);
  await world.minute(30);
  expect([...world.schedules.stored.keys()].sort()).toEqual(['acme#a', 'acme#b', 'globex#a', 'globex#b']);
  const before = await world.schedules.read({ tenant: 'acme', id: 'b' });
  world.deploy([daily({ message: 'go on', tenants: ['acme'] }), other]);
  await world.minute(2);
  expect([...world.schedules.stored.keys()].sort()).toEqual(['acme#a', 'acme#b', 'globex#b']);
  expect(await world.schedules.read({ tenant: 'acme', id: 'b' })).toEqual(before);
  const changed = await world.schedules.read({ tenant: 'acme', id: 'a' });
  expect(changed?.schedule.message).toBe('go on');
  expect(changed?.course.nextAt).toBe(before?.course.nextAt);
  world.deploy([]);
  await world.minute(2);
  expect(world.schedules.stored.size).toBe(0);
});
