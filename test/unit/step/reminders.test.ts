import { describe, expect, test } from 'vitest';
import { remindersOf } from '../../../shared/agent/reminders/open.ts';
import type { Caller } from '../../../shared/agent/session/caller.ts';
import { bob, HOUR, MINUTE, reminding } from './reminding.fixture.ts';

describe('a reminder', () => {
  test('is told at nine of the person who asks, in their session and their name', async () => {
    const { world, say, pass, results, heard, stored } = await reminding([
      ['remind', { at: '2026-11-28T09:00', text: 'Ada wants to call the bank.' }],
    ]);
    await say('Remind me tomorrow at nine to call the bank.');
    expect((await world.view()).session.state).toBe('completed');
    expect(await results()).toEqual([
      expect.stringMatching(/^Set for Sat 28 Nov 2026, 09:00 Europe\/Berlin\. Its id is sch_/),
    ]);
    const [one] = await stored();
    expect(one?.schedule).toMatchObject({
      when: { at: '2026-11-28T08:00:00Z' },
      into: { sessionId: 's1' },
      speaker: { by: 'slack:T1:U1', caller: { kind: 'slack', channel: 'schedule', name: 'Ada' } },
    });
    await pass(10 * HOUR);
    expect(heard().join()).not.toContain('due 2026');
    await pass(2 * HOUR + MINUTE);
    const told = heard().filter((text) => text.includes('due 2026-11-28 09:00 Europe/Berlin]'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('You set this reminder on Fri 27 Nov 2026, 21:00 Europe/Berlin.');
    expect(told[0]).toContain('Ada wants to call the bank.');
    expect((await world.view()).session.run?.callers).toMatchObject([{ subject: 'slack:T1:U1' }]);
    expect(await stored()).toEqual([]);
  });

  test('has no roles of the person who asks', async () => {
    const { say, stored } = await reminding([['follow_up', { in: '3d', text: 'Is it paid?' }]]);
    await say('See to it.', 'user:bob', bob);
    const [one] = await stored();
    expect(one?.schedule).toMatchObject({ user: 'user:bob', speaker: { by: 'user:bob' } });
    expect(one?.schedule.speaker.caller).not.toHaveProperty('roles');
  });

  test('has no user when several people have spoken', async () => {
    const { world, stored } = await reminding();
    await world.say('Remind us.');
    const requesters = ['user:bob', 'user:ada'].map(
      (subject): Caller => ({ tenant: 'acme', subject, kind: 'jwt', roles: [], channel: 'http' }),
    );
    const of = { tenant: 'acme', sessionId: 's1', idempotencyKey: 'k', agent: 'test', requesters };
    const call = remindersOf(of, world, new AbortController().signal);
    const set = { at: world.clock.now() + HOUR, zone: 'UTC', name: 'n', text: 't' };
    const { id } = await call.set(set);
    const [one] = await stored();
    expect(one?.schedule.speaker).toEqual({
      by: `schedule:${id}`,
      caller: { kind: 'schedule', channel: 'schedule', zone: 'UTC' },
    });
  });

  test('is set once, however often its call runs', async () => {
    const { world, stored } = await reminding();
    await world.say('Hello.');
    const of = { tenant: 'acme', sessionId: 's1', idempotencyKey: 'k', agent: 'test', requesters: [] };
    const set = { at: world.clock.now() + HOUR, zone: 'UTC', name: 'n', text: 't' };
    for (const later of [0, 5_000]) {
      const call = remindersOf(of, world, new AbortController().signal);
      await call.set({ ...set, at: set.at + later });
      await call.set({ ...set, text: 'another' });
    }
    expect((await stored()).map(({ schedule }) => schedule.message).sort()).toEqual(['another', 't']);
  });

  test('that has been told is not set again by a call that runs once more', async () => {
    const { world, pass, stored, heard } = await reminding();
    await world.say('Hello.');
    await pass(MINUTE);
    const of = { tenant: 'acme', sessionId: 's1', idempotencyKey: 'k', agent: 'test', requesters: [] };
    const set = () =>
      remindersOf(of, world, new AbortController().signal).set({
        ...{ at: world.clock.now() + 10_000, zone: 'UTC', name: 'n', text: 'Look outside.' },
      });
    const first = await set();
    await pass(3 * MINUTE);
    expect(await set()).toEqual(first);
    await pass(3 * MINUTE);
    expect(await stored()).toEqual([]);
    expect(heard().filter((text) => text.includes('Look outside.'))).toHaveLength(1);
  });

  test('ends a wait of its session', async () => {
    const { world, say, pass, results } = await reminding([
      ['remind', { in: '30m', text: 'Look outside.' }],
      ['wait_until', { in: '6h' }],
    ]);
    await say('Wait for the rain.');
    expect((await world.view()).session.reason).toBe('awaiting_timer');
    await pass(31 * MINUTE);
    expect((await world.view()).session.state).toBe('completed');
    expect((await results())[1]).toContain('ended early');
  });

  test('is listed, and can be cancelled', async () => {
    const listed = [['reminders', {}]] as [string, Record<string, unknown>][];
    const cancel: [string, Record<string, unknown>][] = [['reminders', {}]];
    const { say, results, stored, pass, heard } = await reminding(
      [['remind', { in: '1h', text: 'Tea.' }]],
      listed,
      cancel,
      [['reminders', { cancel: 'sch_none' }]],
    );
    await say('Remind me.');
    await say('Which ones?');
    const id = (await stored())[0]?.schedule.key.id ?? '';
    expect((await results())[1]).toBe(`- Fri 27 Nov 2026, 22:00 Europe/Berlin: Reminder: Tea. (${id})`);
    cancel[0] = ['reminders', { cancel: id }];
    await say('No, leave it.');
    expect((await results())[2]).toBe(`${id} is cancelled.\nNo reminders are to come.`);
    await say('Again.');
    expect((await results())[3]).toContain('There is no sch_none: it may have come already.');
    await pass(2 * HOUR);
    expect(heard().join()).not.toContain('Tell the people here now');
  });

  test('is not another session’s to see or cancel', async () => {
    const { world, say, stored } = await reminding([['remind', { in: '1h', text: 'Tea.' }]]);
    await say('Remind me.');
    const id = (await stored())[0]?.schedule.key.id ?? '';
    const of = { tenant: 'acme', sessionId: 's2', idempotencyKey: 'k', agent: 'test', requesters: [] };
    const others = remindersOf(of, world, new AbortController().signal);
    expect(await others.list()).toEqual([]);
    expect(await others.cancel(id)).toBe(false);
    const foreign = remindersOf(
      { ...of, tenant: 'globex', sessionId: 's1' },
      world,
      new AbortController().signal,
    );
    expect(await foreign.cancel(id)).toBe(false);
    expect(await stored()).toHaveLength(1);
  });

  test('is refused when the session has fifty', async () => {
    const { world, stored } = await reminding();
    await world.say('Hello.');
    const of = { tenant: 'acme', sessionId: 's1', idempotencyKey: 'k', agent: 'test', requesters: [] };
    const call = remindersOf(of, world, new AbortController().signal);
    const set = { at: world.clock.now() + HOUR, zone: 'UTC', name: 'n', text: 't' };
    for (let n = 0; n < 50; n++) await call.set(set);
    await expect(call.set(set)).rejects.toThrow('This session has 50 reminders, which is the most.');
    expect(await stored()).toHaveLength(50);
  });
});
