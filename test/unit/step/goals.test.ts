import { describe, expect, test } from 'vitest';
import { nextTick } from '../../../shared/agent/schedules/when.ts';
import { ada, HOUR, MINUTE, reminding } from './reminding.fixture.ts';

const goal = {
  goal: 'The parcel of Ada has arrived.',
  check: 'Does the carrier say "delivered"?',
  every: '6h',
  in: '2d',
};

describe('a goal', () => {
  test('comes again and again as a message, until it is over, and says when that is', async () => {
    const { say, pass, results, heard, stored, world } = await reminding([['pursue_goal', goal]]);
    await say('See to it that my parcel arrives.');
    expect(await results()).toEqual([
      expect.stringMatching(
        /^Taken on: you look every 6h, until Sun 29 Nov 2026, 21:00 Europe\/Berlin or until the looks have cost \$5\. Its id is sch_/,
      ),
    ]);
    const [one] = await stored();
    expect(one?.schedule).toMatchObject({
      overlap: 'skip',
      budget: { usd: 5, per: 'total' },
      reminder: true,
    });
    await pass(5 * HOUR);
    expect(heard()).toHaveLength(2);
    await pass(2 * HOUR);
    const [first] = heard().slice(2);
    expect(first).toContain('You took on this goal on Fri 27 Nov 2026, 21:00 Europe/Berlin');
    expect(first).toContain('It is met if: Does the carrier say');
    expect(first).toContain('It ends on Sun 29 Nov 2026, 21:00 Europe/Berlin.');
    expect((await world.view()).session.run?.callers).toMatchObject([{ subject: 'slack:T1:U1' }]);
    await pass(72 * HOUR);
    expect(heard()).toHaveLength(2 + 8);
    expect(await stored()).toEqual([]);
  });

  test('is closed by the agent, and comes no more', async () => {
    const { say, pass, results, heard, stored, next } = await reminding(
      [['pursue_goal', goal]],
      [['goals', {}]],
    );
    await say('See to it.');
    await pass(7 * HOUR);
    expect((await results()).at(-1)).toMatch(
      /^- Goal: The parcel of Ada has arrived\. \(sch_\w+\): every 6h, next on Sat 28 Nov 2026, 09:00/,
    );
    const [one] = await stored();
    next(['goals', { close: one?.schedule.key.id, outcome: 'met' }]);
    await pass(30 * HOUR);
    expect((await results()).at(-1)).toBe(
      'Goal: The parcel of Ada has arrived. is closed: met.\nNo goals are open.',
    );
    expect(await stored()).toEqual([]);
    expect(heard()).toHaveLength(6);
  });

  test('is not looked at while a run goes on, nor when its looks have cost too much', async () => {
    const { say, pass, heard, world, stored } = await reminding(
      [['pursue_goal', { ...goal, usd: 0.000_001 }]],
      [['wait_until', { in: '13h' }]],
    );
    await say('See to it.');
    await say('Wait.', 'slack:T1:U1', ada);
    expect((await world.view()).session.reason).toBe('awaiting_timer');
    await pass(12 * HOUR + MINUTE);
    expect(heard().filter((text) => text.includes('You took on this goal'))).toHaveLength(0);
    await pass(60 * HOUR);
    const looks = heard().filter((text) => text.includes('You took on this goal'));
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThan(4);
    expect(await stored()).toEqual([]);
  });

  test.each([
    [{ ...goal, every: '5m' }, '15m or more'],
    [{ ...goal, every: 'daily' }, 'must be like 30m, 6h or 1d'],
    [{ ...goal, in: '1h' }, 'ends before its first look'],
    [{ ...goal, in: undefined }, '"in"'],
    [{ ...goal, usd: 0 }, 'usd'],
  ])('with %j is refused by a sentence', async (asked, why) => {
    const { say, results, stored } = await reminding([['pursue_goal', asked]]);
    await say('See to it.');
    expect((await results())[0]).toContain(why);
    expect(await stored()).toEqual([]);
  });

  test('that is not there cannot be closed', async () => {
    const { say, results } = await reminding([['goals', { close: 'sch_other', outcome: 'given_up' }]]);
    await say('Close it.');
    expect(await results()).toEqual([
      'There is no open goal sch_other: it may have ended already.\nNo goals are open.',
    ]);
  });
});

test('equal distances end with a tick at their end', () => {
  const timing = { when: { every: '6h' }, zone: 'UTC', anchor: 0, until: 15 * HOUR };
  const ticks: number[] = [];
  for (let at = nextTick(timing, 0); at !== undefined; at = nextTick(timing, at)) ticks.push(at / HOUR);
  expect(ticks).toEqual([6, 12, 15]);
  expect(nextTick({ ...timing, until: 12 * HOUR }, 6 * HOUR)).toBe(12 * HOUR);
  expect(nextTick(timing, 16 * HOUR)).toBeUndefined();
});
