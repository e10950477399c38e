import { describe, expect, test } from 'vitest';
import { claimAndLoad } from '../../../shared/agent/step/open/load.ts';
import { texts } from '../../../shared/agent/texts.ts';
import { killAfter, killBefore } from '../../../testing/faults.ts';
import {
  calls,
  says,
  saysAndCalls,
  scriptedModel,
  talksUntilStopped,
} from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { clientView, verifyOrder } from './client-view.fixture.ts';
import { answersIn, custom, ending, notedTool, ofType, textsOf } from './reading.fixture.ts';

const takes = (ms: number, of: () => SessionWorld, outcome: ReturnType<typeof says>) => async () => {
  await of().clock.sleep(ms);
  return outcome;
};

describe('little time left before the tools', () => {
  async function leftToNext() {
    const refund = notedTool('refund', 'once');
    const asks = saysAndCalls('Refunding.', ['refund', {}]);
    const model = scriptedModel(
      takes(40_000, () => world, asks),
      says('ok'),
    );
    const world = await sessionWorld({ tools: [refund.tool] }, model);
    await world.say('refund me');
    expect(await world.step({ deadlineMs: 60_000 })).toBe('ack');
    return { world, refund };
  }

  test('the batch is left to the next invocation, which does not call the model', async () => {
    const { world, refund } = await leftToNext();
    expect(refund.keys).toEqual([]);
    await world.settle();
    expect(refund.keys).toHaveLength(1);
    expect(world.model.requests).toHaveLength(2);
    const { totals, run } = (await world.view()).session;
    expect(totals).toMatchObject({ input: 200, output: 100 });
    expect(run).toMatchObject({ steps: 2, toolCalls: 1 });
  });

  test('a step that read the slots beside its claim, before the reply was kept, reads them again', async () => {
    const { world } = await leftToNext();
    let reads = 0;
    const slots: typeof world.sessions.slots = async (...asked) =>
      reads++ === 0 ? [] : world.sessions.slots(...asked);
    const delivery = world.queue.receive();
    if (!delivery?.wake.hint) throw new Error('the next step has no hint');
    const invocation = { id: 'next', message: delivery.handle, deadlineAt: world.clock.now() + 60_000 };
    const io = { ...world, sessions: { ...world.sessions, slots } };
    const loaded = await claimAndLoad(delivery.wake, invocation, 60_000, io);
    expect(loaded).toMatchObject({ kind: 'claimed', slots: [{ kind: 'model', n: 0 }] });
  });

  test('clients see one reply, its calls and its results', async () => {
    const { world } = await leftToNext();
    await world.settle();
    const events = await world.events();
    await verifyOrder(events);
    expect(clientView(events)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Refunding.', toolCalls: [{}] },
      { role: 'tool' },
      { role: 'assistant', content: 'ok' },
    ]);
  });

  test('every step of a run has a unique name', async () => {
    const { world } = await leftToNext();
    await world.settle();
    const names = ofType(await world.events(), 'STEP_STARTED').map(({ stepName }) => stepName);
    expect(new Set(names).size).toBe(names.length);
  });

  test('a batch that was left twice runs in the available time', async () => {
    const { world, refund } = await leftToNext();
    expect(await world.step({ deadlineMs: 20_000 })).toBe('ack');
    expect(refund.keys).toHaveLength(1);
  });
});

describe('a batch that uses all the time of its step', () => {
  test('calls that have not begun by then do not begin, and the model is told so', async () => {
    const refund = notedTool('refund', 'once');
    const look = notedTool('look', 'read');
    const slow = notedTool('slow', 'idempotent', () => world.clock.sleep(600_000));
    const tools = [slow.tool, refund.tool, look.tool];
    const model = scriptedModel(calls(['slow', {}], ['refund', {}], ['look', {}]), says('ok'));
    const world = await sessionWorld({ tools }, model);
    await world.say('go');
    expect(await world.step({ deadlineMs: 60_000 })).toBe('ack');
    expect([slow.keys.length, refund.keys.length, look.keys.length]).toEqual([1, 0, 0]);
    expect(world.faults.count('sessions.fence')).toBe(0);
    // The first result that is kept stands: a later owner, should this one die now, may start the call.
    expect(world.faults.count('sessions.putResult')).toBe(0);
    await world.settle();
    const told = answersIn(model.requests[1]).map(({ content }) => content);
    expect(told[0]).toContain('Error [timeout]: slow did not finish');
    expect(told.slice(1)).toEqual([texts.noTimeLeft, texts.noTimeLeft]);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('a call without time left is not run by the next owner, which would have to report it as not run', async () => {
    let hangs = false;
    const refund = notedTool('refund', 'once');
    const slow = notedTool('slow', 'idempotent', () => (hangs ? world.clock.sleep(600_000) : 'quick'));
    const model = scriptedModel(calls(['slow', {}], ['refund', {}]), says('ok'));
    const world = await sessionWorld({ tools: [slow.tool, refund.tool], approvals: 'by_tool' }, model);
    await world.say('go');
    world.faults.at('sessions.putSlot', killAfter);
    await world.step();
    hangs = true;
    // The reply's slot is written again, and it dies before that of the results.
    world.faults.at('sessions.putSlot', killBefore, 2);
    await world.clock.advance(1_000_000);
    expect(await world.step({ deadlineMs: 60_000 })).toBe('stopped');
    hangs = false;
    await world.settle();
    const told = answersIn(model.requests[1]).map(({ content }) => content);
    expect([refund.keys.length, told[1]]).toEqual([0, texts.noTimeLeft]);
  });
});

describe('a model call at the deadline', () => {
  test('its text is kept, and the next invocation continues', async () => {
    const model = scriptedModel(talksUntilStopped('Once upon a time'), says(' there was a queue.'));
    const world = await sessionWorld({}, model);
    await world.say('tell me a story');
    const startedAt = world.clock.now();
    expect(await world.step({ deadlineMs: 60_000 })).toBe('ack');
    expect(world.clock.now() - startedAt).toBeLessThan(60_000);
    await world.settle();
    const events = await world.events();
    await verifyOrder(events);
    expect(ending(events)).toMatchObject({ state: 'completed', reason: 'completed', steps: 2 });
    expect(textsOf(model.requests[1], 'assistant')).toEqual(['Once upon a time']);
    // The model did not cause it: its text says so, and names no output limit.
    const told = textsOf(model.requests[1], 'user').at(-1);
    expect(told).toMatch(/interrupted.*worker.*no limit/);
    expect(told).not.toMatch(/output limit/);
    expect(
      clientView(events).flatMap((message) => (message.role === 'assistant' ? message.content : [])),
    ).toEqual(['Once upon a time', ' there was a queue.']);
  });

  test('A19: silence after it is the end of the answer, which is not reported as cut by an output limit', async () => {
    const world = await sessionWorld({}, scriptedModel(talksUntilStopped('Once upon a time.'), says('')));
    await world.say('tell me a story');
    await world.step({ deadlineMs: 60_000 });
    await world.settle();
    const [end] = custom(await world.events(), 'steploop.ended');
    expect(end).toMatchObject({ state: 'completed', reason: 'completed_truncated' });
    expect(end?.message).not.toContain('output limit');
  });

  test('with nothing complete it is retried without using up a try', async () => {
    const model = scriptedModel(talksUntilStopped(''), says('quick'));
    const world = await sessionWorld({}, model);
    await world.say('hi');
    await world.step({ deadlineMs: 60_000 });
    await world.settle();
    const events = await world.events();
    expect(custom(events, 'steploop.retry')).toMatchObject([{ code: 'deadline' }]);
    expect(ending(events)).toMatchObject({ state: 'completed', steps: 1 });
  });

  test('a long reply continues for as many invocations as it takes', async () => {
    const parts = ['one', 'two', 'three', 'four'];
    const model = scriptedModel(...parts.map(talksUntilStopped), says('five'));
    const world = await sessionWorld({}, model);
    await world.say('count');
    for (const _part of parts) await world.step({ deadlineMs: 60_000 });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ reason: 'completed', steps: 5 });
  });

  test('a tool is cut before the deadline, and its result says so', async () => {
    const model = scriptedModel(calls(['hang', {}]), says('ok'));
    const hang = notedTool('hang', 'read', () => new Promise(() => {}));
    const world = await sessionWorld({ tools: [hang.tool] }, model);
    await world.say('hi');
    expect(await world.step({ deadlineMs: 100_000 })).toBe('ack');
    await world.settle();
    expect(answersIn(model.requests[1])).toMatchObject([
      { is_error: true, content: expect.stringContaining('[timeout]') },
    ]);
  });
});
