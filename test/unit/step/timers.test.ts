import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { waitUntil } from '../../../tools/wait-until.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { custom, ofType, resultsOf, tool } from './reading.fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ada = { kind: 'slack', channel: 'slack', zone: 'Europe/Berlin' } as const;

/** A run that makes these calls in one reply, and then answers. */
async function resting(...made: [string, Record<string, unknown>][]) {
  const askedAt: number[] = [];
  const answer: Scripted = ({ request }) => {
    askedAt.push(world.clock.now());
    return JSON.stringify(request.messages).includes('tool_result') ? says('Done.') : calls(...made);
  };
  const model = scriptedModel(...Array.from({ length: 9 }, () => answer));
  const world = await sessionWorld(
    {
      tools: [
        waitUntil,
        tool('export', (_input, { later }) => later({ expiresAfterSeconds: 600 })),
        tool('fetch', () => 'fetched', { where: 'queue' }),
        tool('quiz', (_input, { ask, answers }) => answers[0] ?? ask('Which?')),
        tool('rest_in_queue', (_input, { sleepUntil, now }) => sleepUntil(now() + HOUR), { where: 'queue' }),
      ],
      limits: { timeoutSeconds: 900 },
    },
    model,
  );
  await world.say('Wait for it.', undefined, 'slack:T1:U1', ada);
  await settleWithCalls(world);
  const result = async (n = 0) => resultsOf(await world.slots())[n];
  const state = async () => (await world.view()).session.state;
  /** Time passes with the sweeper at work. */
  const pass = async (ms: number) => {
    const until = world.clock.now() + ms;
    while (world.clock.now() < until) {
      await world.clock.advance(Math.min(MINUTE, until - world.clock.now()));
      await sweep(world);
      await settleWithCalls(world);
    }
  };
  return { world, model, askedAt, result, state, pass };
}

describe('a run that waits for a time', () => {
  test('uses no compute, and says for what it waits', async () => {
    const { world, model } = await resting(['wait_until', { in: '6h', reason: 'the build' }]);
    const { session, dueAt } = await world.view();
    expect(session).toMatchObject({ state: 'waiting_for_tool', reason: 'awaiting_timer' });
    expect(dueAt).toBeUndefined();
    expect(world.queue.messages()).toEqual([]);
    expect(session.batch?.waits).toMatchObject([
      {
        kind: 'timer',
        message: expect.stringMatching(/^Waiting until \w{3} .*, \d\d:\d\d Europe\/Berlin: the build$/),
        expiresAt: world.clock.now() + 6 * HOUR,
      },
    ]);
    expect(ofType(await world.events(), 'RUN_FINISHED')).toMatchObject([
      { outcome: { type: 'interrupt', interrupts: [{ reason: 'timer' }] } },
    ]);
    expect(model.requests).toHaveLength(1);
  });

  test.each([
    ['2s', 2_000],
    ['10m', 10 * MINUTE],
    ['15m', 15 * MINUTE],
    ['16m', 16 * MINUTE],
    ['6h', 6 * HOUR],
    ['3d', 3 * DAY],
  ])('goes on in time after %s', async (span, ms) => {
    const { world, askedAt, result, state, pass } = await resting(['wait_until', { in: span }]);
    await pass(ms + MINUTE);
    expect(await state()).toBe('completed');
    const [beganAt = 0, wentOnAt = 0] = askedAt;
    expect(askedAt).toHaveLength(2);
    expect(wentOnAt - beganAt).toBeGreaterThanOrEqual(ms);
    expect(wentOnAt - beganAt).toBeLessThan(ms + 5_000);
    expect(await result()).toMatchObject({
      outcome: 'ok',
      content: expect.stringMatching(/^The wait is over: .*, and you go on on time\. It is now /),
    });
    expect(custom(await world.events(), 'steploop.decided')).toMatchObject([{ outcome: 'expired' }]);
  });

  test('is told how late it is when nothing could wake it', async () => {
    const { world, result } = await resting(['wait_until', { in: '6h' }]);
    await world.clock.advance(9 * HOUR);
    await sweep(world);
    await settleWithCalls(world);
    expect((await result())?.content).toContain('you go on 3 hours late.');
  });

  test('goes on early when a message comes in, and reads it', async () => {
    const { world, model, result, pass } = await resting(['wait_until', { in: '3d' }]);
    await pass(HOUR);
    await world.say('It is there already.', undefined, 'slack:T1:U2', ada);
    await settleWithCalls(world);
    expect((await result())?.content).toMatch(
      /^The wait has ended early, because something has come in that follows\. .* 2 days from now\./,
    );
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('It is there already.');
    expect(custom(await world.events(), 'steploop.decided')).toMatchObject([{ outcome: 'answered' }]);
  });

  test('ends with a cancel', async () => {
    const { world, result, state } = await resting(['wait_until', { in: '3d' }]);
    await cancel(world.key, world);
    await settleWithCalls(world);
    expect(await state()).toBe('cancelled');
    expect(await result()).toMatchObject({ outcome: 'cancelled' });
  });

  test('does not spend its own time limit', async () => {
    const { state, pass } = await resting(['wait_until', { in: '1d' }]);
    await pass(DAY + 1_000);
    expect(await state()).toBe('completed');
  });

  test('waits for the other calls of its batch as well', async () => {
    const { result, state, pass } = await resting(
      ['wait_until', { in: '1h' }],
      ['export', {}],
      ['fetch', {}],
      ['wait_until', { in: '2h' }],
    );
    await pass(HOUR + MINUTE);
    expect(await state()).toBe('waiting_for_tool');
    await pass(HOUR);
    expect(await state()).toBe('completed');
    expect((await result(0))?.content).toContain('60 minutes late');
    expect(await result(1)).toMatchObject({ outcome: 'unknown' });
    expect(await result(2)).toMatchObject({ content: 'fetched' });
    expect((await result(3))?.content).toContain('on time');
  });

  test('keeps its time while a person is asked first, and a message ends both', async () => {
    const { world, result, state } = await resting(['wait_until', { in: '3d' }], ['quiz', {}]);
    expect((await world.view()).session).toMatchObject({ reason: 'awaiting_user' });
    await world.say('Neither.', undefined, 'slack:T1:U1', ada);
    await settleWithCalls(world);
    expect(await state()).toBe('completed');
    expect((await result())?.content).toContain('ended early');
  });

  test('may rest in a tool of the queue', async () => {
    const { world, result, state, pass } = await resting(['rest_in_queue', {}]);
    expect((await world.view()).session).toMatchObject({ reason: 'awaiting_timer' });
    await pass(HOUR + 5_000);
    expect(await state()).toBe('completed');
    expect((await result())?.content).toContain('on time');
  });
});
