import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { RouteContext } from '../../../functions/routes/context.ts';
import { readWait } from '../../../functions/routes/waits.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { askOf, cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { abandonCall, runCall } from '../../../shared/agent/entrypoints/call.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { defineGuard, type Stages } from '../../../shared/agent/guardrails/guard.ts';
import type { ToolCall } from '../../../shared/agent/session/slots.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { failBefore, justBefore, killBefore } from '../../../testing/faults.ts';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { runCalls } from '../../support/queued-calls.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { verifyOrder } from './client-view.fixture.ts';
import { custom, endings, notedTool, ofType, resultsOf, tool } from './reading.fixture.ts';

const calling = (calls: ToolCall[]) =>
  reply({
    stop: 'tool_use',
    content: calls.map((call) => ({ type: 'tool_use', ...call })),
    calls,
  });

const HOUR = 3_600_000;
const interruptsOf = async (world: SessionWorld) =>
  ofType(await world.events(), 'RUN_FINISHED').flatMap(({ outcome }) =>
    outcome.type === 'interrupt' ? outcome.interrupts : [],
  );

const invocationOf = (world: SessionWorld) => ({
  id: world.ids.next(),
  message: { messageId: 'dead', receiptHandle: 'r' },
  deadlineAt: world.clock.now() + 60_000,
});

describe('approvals', () => {
  const paying = async (replies = 2) => {
    const pay = notedTool('pay', 'once');
    const model = scriptedModel(
      calling([{ id: 'c1', name: 'pay', input: { to: 'bob' } }]),
      ...Array.from({ length: replies - 1 }, () => says('Done.')),
    );
    const world = await sessionWorld(
      { tools: [{ ...pay.tool, approval: 'always' }], limits: { timeoutSeconds: 60 } },
      model,
    );
    await world.say('Pay bob');
    await world.settle();
    return { world, pay, model };
  };

  test('A18: the run waits as an interrupt, the queue is empty, nothing has run', async () => {
    const { world, pay } = await paying();
    const { session, dueAt } = await world.view();
    expect(session).toMatchObject({ state: 'waiting_for_input', reason: 'awaiting_approval' });
    expect(dueAt).toBeUndefined();
    expect(world.queue.messages()).toEqual([]);
    expect(pay.keys).toEqual([]);
    expect(await interruptsOf(world)).toMatchObject([
      { reason: 'approval', toolCallId: 'c1', message: 'pay\nto: "bob"' },
    ]);
    expect(endings(await world.events())).toEqual([]);
  });

  test('A18: a decision an hour later resumes it; the timeout does not count the wait', async () => {
    const { world, pay, model } = await paying();
    const [asked] = await interruptsOf(world);
    await world.clock.advance(HOUR);
    expect(await decide(world.key, asked?.id ?? '', { approved: true, by: 'ann' }, world)).toBe('decided');
    await world.settle();
    expect(pay.keys).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
    const events = await world.events();
    expect(endings(events)).toMatchObject([{ state: 'completed', steps: 2, toolCalls: 1 }]);
    expect(custom(events, 'steploop.decided')).toMatchObject([{ outcome: 'approved', by: 'ann' }]);
    expect(ofType(events, 'RUN_STARTED').map(({ runId }) => runId)).toEqual(['s1-0', 's1-0.1']);
    expect((await world.view()).session.run?.pausedMs).toBeGreaterThanOrEqual(HOUR);
  });

  test.each<[string, z.ZodType, number]>([
    ['parses them differently', z.object({ to: z.string(), from: z.string().default('the safe') }), 0],
    ['parses them as before', z.object({ to: z.string() }), 1],
  ])('19: a decision applies to the shown call: a tool that since then %s', async (_what, input, runs) => {
    const pay = notedTool('pay', 'once');
    const tools = (schema: z.ZodType) => [{ ...pay.tool, approval: 'always' as const, input: schema }];
    const model = scriptedModel(calling([{ id: 'c1', name: 'pay', input: { to: 'bob' } }]), says('Done.'));
    const world = await sessionWorld({ tools: tools(z.object({ to: z.string() })) }, model);
    await world.say('Pay bob');
    await world.settle();
    const [asked] = await interruptsOf(world);
    world.deploy({ tools: tools(input) });
    await decide(world.key, asked?.id ?? '', { approved: true, by: 'ann' }, world);
    await world.settle();
    expect(pay.keys).toHaveLength(runs);
    const [result] = resultsOf(await world.slots());
    if (runs === 0)
      expect(result).toMatchObject({ outcome: 'refused', content: expect.stringContaining('another way') });
    else expect(result).toMatchObject({ outcome: 'ok' });
  });

  test('A18: an approval that is too long says first where all of it is, and it can be read there', async () => {
    const pay = notedTool('pay', 'once');
    const input = z.object({ memo: z.string(), to: z.string(), amount: z.number().default(5) });
    const sent = { memo: 'x'.repeat(5_000), to: 'mallory', more: 1 };
    const model = scriptedModel(calling([{ id: 'c1', name: 'pay', input: sent }]), says('Done.'));
    const world = await sessionWorld({ tools: [{ ...pay.tool, approval: 'always', input }] }, model);
    await world.say('Pay bob');
    await world.settle();
    const [asked] = await interruptsOf(world);
    const lines = asked?.message?.split('\n') ?? [];
    expect(lines[0]).toBe(`Not all of this is shown. All of it: GET /sessions/s1/waits/${asked?.id}`);
    expect(lines.slice(3)).toEqual(['to: "mallory"', 'amount: 5']);

    const read = async (waitId = asked?.id) => {
      const event = { pathParameters: { sessionId: 's1', waitId } } as unknown as APIGatewayProxyEventV2;
      const context = { io: world, agents: [world.agentOf('test')] };
      const caller: Identity = { tenant: 'acme', subject: 'user:ann', kind: 'jwt' };
      const { body } = await readWait(event, caller, context as unknown as RouteContext);
      return JSON.parse(body ?? '');
    };
    expect(await read()).toMatchObject({
      id: asked?.id,
      tool: 'pay',
      whole: `pay\nmemo: "${'x'.repeat(5_000)}"\nto: "mallory"\namount: 5`,
      isWhole: true,
      sent,
      isAsAsked: true,
    });
    await expect(read('constructor')).rejects.toMatchObject({ problem: { status: 404 } });
    world.deploy({ tools: [{ ...pay.tool, input: z.object({ to: z.string() }) }] });
    expect(await read()).toMatchObject({ whole: 'pay\nto: "mallory"', isAsAsked: false });
  });

  test('19: a second decision does not count, from any user', async () => {
    const { world, pay } = await paying();
    const [asked] = await interruptsOf(world);
    const id = asked?.id ?? '';
    expect(await decide(world.key, id, { approved: false, by: 'ann', note: 'Too much.' }, world)).toBe(
      'decided',
    );
    expect(await decide(world.key, id, { approved: true, by: 'bob' }, world)).toBe('already_decided');
    await world.settle();
    expect(await decide(world.key, id, { approved: true, by: 'bob' }, world)).toBe('closed');
    expect(pay.keys).toEqual([]);
    expect(resultsOf(await world.slots())).toMatchObject([
      { outcome: 'refused', content: expect.stringContaining('Too much.') },
    ]);
  });

  test('without a decision the sweeper wakes it at its expiry, and it counts as denied', async () => {
    const { world, pay } = await paying();
    const [asked] = await interruptsOf(world);
    await world.clock.advance(23 * HOUR);
    expect(await sweep(world)).toEqual({ woken: 0, all: true });
    await world.clock.advance(2 * HOUR);
    expect(await decide(world.key, asked?.id ?? '', { approved: true, by: 'ann' }, world)).toBe('closed');
    expect(await sweep(world)).toEqual({ woken: 1, all: true });
    await world.settle();
    expect(pay.keys).toEqual([]);
    expect(resultsOf(await world.slots())[0]?.content).toContain('no person has decided in time');
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
  });

  test("without a decision for a day it is woken at its expiry, not at the sweeper's next round", async () => {
    const { world } = await paying();
    const { expiresAt = 0 } = (await world.view()).session.batch?.waits[0] ?? {};
    // Two rounds of the sweeper: 100 and 40 s before it.
    await world.clock.advance(expiresAt - 100_000 - world.clock.now());
    expect(await sweep(world)).toEqual({ woken: 0, all: true });
    expect(world.queue.messages()).toEqual([]);
    await world.clock.advance(60_000);
    expect(await sweep(world)).toEqual({ woken: 0, all: true });
    // Moves the clock to the next message on the queue.
    await world.settle();
    expect(world.clock.now() - expiresAt).toBeGreaterThan(0);
    expect(world.clock.now() - expiresAt).toBeLessThan(3_000);
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
  });

  test('a message meanwhile decides nothing, and joins at the next step', async () => {
    const { world, pay, model } = await paying();
    await world.say('Hurry');
    await world.settle();
    expect((await world.view()).session.state).toBe('waiting_for_input');
    expect(pay.keys).toEqual([]);
    const [asked] = await interruptsOf(world);
    await decide(world.key, asked?.id ?? '', { approved: true, by: 'ann' }, world);
    await world.settle();
    expect(pay.keys).toHaveLength(1);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('Hurry');
  });

  test('Stop ends a run that waits', async () => {
    const { world, pay } = await paying();
    expect(await cancel(world.key, world)).toBe('cancelled');
    await world.settle();
    expect(endings(await world.events())).toMatchObject([{ state: 'cancelled' }]);
    expect(pay.keys).toEqual([]);
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('no call of a batch runs before all are decided; a worker that dies on the way changes nothing', async () => {
    const look = notedTool('look', 'read');
    const pay = notedTool('pay', 'once');
    const model = scriptedModel(
      calling([
        { id: 'c1', name: 'look', input: {} },
        { id: 'c2', name: 'pay', input: { n: 1 } },
        { id: 'c3', name: 'pay', input: { n: 2 } },
      ]),
      says('Done.'),
    );
    const world = await sessionWorld({ tools: [look.tool, { ...pay.tool, approval: 'always' }] }, model);
    await world.say('Go');
    await world.settle();
    const [first, second] = await interruptsOf(world);
    await decide(world.key, second?.id ?? '', { approved: false, by: 'ann' }, world);
    await world.settle();
    expect(look.keys).toEqual([]);
    expect((await world.view()).session.state).toBe('waiting_for_input');
    await decide(world.key, first?.id ?? '', { approved: true, by: 'ann' }, world);
    await world.settle();
    expect([look.keys.length, pay.keys.length]).toEqual([1, 1]);
    expect(resultsOf(await world.slots()).map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'refused']);
    expect(model.requests).toHaveLength(2);
  });
});

describe('ask_user', () => {
  const asking = async () => {
    const model = scriptedModel(
      calling([{ id: 'q1', name: 'ask_user', input: { question: 'Which one?' } }]),
      says('Fine.'),
    );
    const world = await sessionWorld({ tools: [askUser] }, model);
    await world.say('Choose');
    await world.settle();
    return { world, model };
  };

  test('its answer is the result', async () => {
    const { world } = await asking();
    const [asked] = await interruptsOf(world);
    expect(asked).toMatchObject({ reason: 'question', message: 'Which one?' });
    await decide(world.key, asked?.id ?? '', { approved: true, by: 'ann', note: 'The red one' }, world);
    await world.settle();
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok', content: 'The red one' }]);
  });

  test('a message is an answer too, and is sent to the model once', async () => {
    const { world, model } = await asking();
    await world.say('The red one');
    await world.settle();
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
    expect(JSON.stringify(model.requests[1]?.messages).split('The red one')).toHaveLength(2);
  });

  test('an event at the moment of asking that is no answer leaves the question open', async () => {
    const model = scriptedModel(
      calling([{ id: 'q1', name: 'ask_user', input: { question: 'Which one?' } }]),
      says('{}'),
    );
    const world = await sessionWorld({ tools: [askUser] }, model);
    await world.say('Choose');
    world.faults.at(
      'sessions.commit',
      justBefore(() => askOf(world.key, 'wrap_up', 'ask1', world)),
    );
    await world.settle();
    expect((await world.view()).session).toMatchObject({
      state: 'waiting_for_input',
      reason: 'awaiting_user',
    });
    const asked = await interruptsOf(world);
    expect(asked).toMatchObject([{ reason: 'question', message: 'Which one?' }]);
    await verifyOrder(await world.events());
    await decide(world.key, asked[0]?.id ?? '', { approved: true, by: 'ann', note: 'The red one' }, world);
    await world.settle();
    expect(endings(await world.events())).toMatchObject([{ state: 'completed', summary: {} }]);
    await verifyOrder(await world.events());
  });
});

/** A batch in which a call takes all the time of its step, once; a payment and a queued call come after it. */
async function shortOfTime() {
  const pay = notedTool('pay', 'once', () => 'paid');
  const times = [600_000];
  const slow = notedTool('slow', 'idempotent', () => world.clock.sleep(times.shift() ?? 0));
  const job = notedTool('job', 'read', () => 'done');
  const called = ['slow', 'pay', 'job'].map((name) => ({ id: name, name, input: {} }));
  const world = await sessionWorld(
    { tools: [slow.tool, pay.tool, { ...job.tool, where: 'queue' }] },
    scriptedModel(calling(called), says('Done.')),
  );
  await world.say('go');
  const close = async () => {
    await world.settle();
    await runCalls(world);
    await world.settle();
    return resultsOf(await world.slots()).map(({ name, outcome }) => `${name}: ${outcome}`);
  };
  return { world, pay, close };
}

describe('a call that was not started for lack of time, in a batch with queued calls', () => {
  test('is reported so, if the step that reports it commits', async () => {
    const { world, pay, close } = await shortOfTime();
    expect(await world.step({ deadlineMs: 60_000 })).toBe('ack');
    expect((await world.view()).session.batch?.unrun).toMatchObject([{ callId: 'pay' }]);
    expect(await close()).toEqual(['slow: error', 'pay: cancelled', 'job: ok']);
    expect(pay.keys).toHaveLength(0);
  });

  test('may be started by the next owner, and is then reported as run', async () => {
    const { world, pay, close } = await shortOfTime();
    world.faults.at('sessions.commit', killBefore);
    await world.step({ deadlineMs: 60_000 });
    expect(pay.keys).toHaveLength(0);
    const told = await close();
    expect(pay.keys).toHaveLength(1);
    expect(told).toContain('pay: ok');
  });
});

describe('a batch that stays open', () => {
  const job = { ...notedTool('job', 'read').tool, where: 'queue' as const };
  /** A batch as it waits, with its size in bytes. */
  const opened = async (calls: ToolCall[], definition: Parameters<typeof sessionWorld>[0]) => {
    const world = await sessionWorld(definition, scriptedModel(calling(calls), says('Done.')));
    await world.say('Go');
    await world.settle();
    return { world, open: Buffer.byteLength(JSON.stringify((await world.view()).session.batch)) };
  };
  /** The same, with the results that the model finally reads. */
  const closed = async (...batch: Parameters<typeof opened>) => {
    const [calls] = batch;
    const { world, open } = await opened(...batch);
    await runCalls(world);
    await world.settle();
    const results = resultsOf(await world.slots());
    expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
    return { open, results };
  };
  const called = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `c${i}`, name: i === 0 ? 'job' : 'look', input: { i } }));

  test('is no larger on HEAD for a reply of thousands of calls', async () => {
    const look = notedTool('look', 'once');
    const { open, results } = await closed(called(3_000), {
      tools: [job, look.tool],
      limits: { maxToolCalls: 0 },
    });
    expect(open).toBeLessThan(10_000);
    expect(look.keys).toHaveLength(24);
    expect(new Set(results.slice(25).map(({ outcome }) => outcome))).toEqual(new Set(['refused']));
  });

  const note = (message: string) => ({ message, action: 'warn' as const });
  const ask = 'always' as const;
  const wordy = (says: (message: string) => Stages['call']['verdict']) => ({
    tools: [job, tool('look')],
    guards: [
      defineGuard({
        name: 'wordy',
        scope: 'run',
        initial: {},
        hooks: {
          call: (_state, { call }) =>
            call.name === 'look' ? { verdict: says('ü'.repeat(30_000)) } : undefined,
        },
      }),
    ],
  });

  test.each([
    ['refuses', (message: string) => ({ kind: 'block' as const, code: 'no', message })],
    ['notes on', (message: string) => ({ kind: 'warn' as const, code: 'no', message, note: note(message) })],
  ])('fits into HEAD, however much text a guard that %s its calls adds', async (_, says) => {
    const { open, results } = await closed(called(25), wordy(says));
    expect(open).toBeLessThan(80_000);
    expect(results[24]?.content).toMatch(/^Error \[refused\]: üüü.*characters shown|done/s);
  });

  test('fits into HEAD, however much text a guard adds about calls that people may allow', async () => {
    const says = (message: string) => ({ kind: 'block' as const, code: 'no', message, ask });
    const { open } = await opened(called(25), wordy(says));
    expect(open).toBeLessThan(150_000);
  });
});

describe('queued calls', () => {
  const mixed = async (queuedEffect: 'read' | 'once' = 'read') => {
    const slow = notedTool('slow', queuedEffect);
    const model = scriptedModel(
      calling([
        { id: 'c1', name: 'slow', input: { n: 1 } },
        { id: 'c2', name: 'quick', input: {} },
        { id: 'c3', name: 'slow', input: { n: 2 } },
      ]),
      says('Done.'),
    );
    const world = await sessionWorld({ tools: [{ ...slow.tool, where: 'queue' }, tool('quick')] }, model);
    await world.say('Go');
    await world.settle();
    return { world, slow, model };
  };

  test('20: the step waits without compute; the worker that finishes last wakes it; the model sees all results in order', async () => {
    const { world, slow, model } = await mixed();
    expect((await world.view()).session.state).toBe('waiting_for_tool');
    expect(world.queue.messages()).toEqual([]);
    expect(await runCalls(world)).toEqual(['ack', 'ack']);
    expect(world.queue.messages()).toHaveLength(1);
    await world.settle();
    expect(slow.keys).toHaveLength(2);
    expect(resultsOf(await world.slots()).map(({ callId }) => callId)).toEqual(['c1', 'c2', 'c3']);
    expect(model.requests).toHaveLength(2);
    expect(endings(await world.events())).toMatchObject([{ state: 'completed', steps: 2, toolCalls: 3 }]);
    const told = ofType(await world.events(), 'TOOL_CALL_RESULT').map(({ toolCallId }) => toolCallId);
    expect([...told].sort()).toEqual(['c1', 'c2', 'c3']);
  });

  test('a step that cannot announce its commit has sent its events when it is over, and sends none after it', async () => {
    const slow = { ...notedTool('slow', 'read').tool, where: 'queue' as const };
    const model = scriptedModel(calling([{ id: 'c1', name: 'slow', input: { n: 1 } }]));
    const definition = { tools: [slow], limits: { queuedCallSeconds: 600 } };
    const world = await sessionWorld(definition, model, { outbound: true });
    await world.say('Go');
    world.faults.at('queue.deliver', failBefore, 2);
    world.faults.at('queue.call', async (proceed) => {
      await world.clock.sleep(1_000);
      return proceed();
    });
    expect(await world.step()).toBe('retry');
    expect(world.faults.count('queue.send')).toBe(1);
    await world.clock.advance(5_000);
    expect(world.faults.count('queue.send')).toBe(1);
  });

  test('13: a once call that is delivered twice starts once', async () => {
    const { world, slow } = await mixed('once');
    const { batch } = (await world.view()).session;
    for (const { callId, id } of batch?.waits ?? [])
      await world.queue.call({ ...world.key, slot: batch?.slot ?? 0, callId, waitId: id });
    await runCalls(world);
    await world.settle();
    expect(slow.keys).toHaveLength(2);
  });

  test('a result that never comes becomes an error result in time', async () => {
    const { world } = await mixed();
    await world.clock.advance(HOUR + 60_000);
    expect(await sweep(world)).toEqual({ woken: 1, all: true });
    await world.settle();
    expect(resultsOf(await world.slots()).map(({ outcome }) => outcome)).toEqual([
      'cancelled',
      'ok',
      'cancelled',
    ]);
    expect(await runCalls(world)).toEqual(['ack', 'ack']);
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
  });

  test('Stop: a call that has not begun does not begin', async () => {
    const { world, slow } = await mixed();
    await cancel(world.key, world);
    expect(await runCalls(world)).toEqual(['ack', 'ack']);
    expect(slow.keys).toEqual([]);
    await world.settle();
    expect(endings(await world.events())).toMatchObject([{ state: 'cancelled' }]);
  });

  test('a message meanwhile waits for the results', async () => {
    const { world, model } = await mixed();
    await world.say('And?');
    await world.settle();
    expect(model.requests).toHaveLength(1);
    await runCalls(world);
    await world.settle();
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('And?');
  });

  describe('the message of a worker that dies comes back', () => {
    const seconds = (ms: number) => ms / 1000;
    /**
     * Runs the first call on a worker that dies when it calls `operation`; returns the time until its message is visible again.
     */
    const dyingAt = async (operation: 'definition' | 'putResult') => {
      const { world, slow } = await mixed();
      const from = world.clock.now();
      const taken = world.queue.calls.receive();
      if (!taken) throw new Error('two calls wait');
      const died = {
        ...world,
        sessions: { ...world.sessions, [operation]: () => Promise.reject(new Error('died')) },
      };
      const invocation = { id: 'dying', message: taken.handle, deadlineAt: from + 900_000 };
      await expect(runCall(taken.wake, invocation, world.agentOf, died)).rejects.toThrow('died');
      const back = world.queue.calls.messages().find(({ messageId }) => messageId === taken.handle.messageId);
      return { world, slow, taken, afterSeconds: seconds((back?.visibleAt ?? 0) - from) };
    };

    test('after two minutes, if it had not begun', async () => {
      expect((await dyingAt('definition')).afterSeconds).toBe(120);
    });

    test('when no worker can still run its call, if it had: after the time of its tool', async () => {
      const { world, slow, taken, afterSeconds } = await dyingAt('putResult');
      expect(afterSeconds).toBe(300 + 10 + 2);
      await world.clock.advance(afterSeconds * 1000 - 3_000);
      const early = { id: 'early', message: taken.handle, deadlineAt: world.clock.now() + 900_000 };
      expect(await runCall(taken.wake, early, world.agentOf, world)).toBe('retry');
      await world.clock.advance(3_000);
      await runCalls(world);
      await world.settle();
      expect(slow.keys).toHaveLength(3);
      expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
    });
  });

  test('a worker that stood still after its start does not run the call', async () => {
    const { world, slow } = await mixed();
    const sessions = {
      ...world.sessions,
      async beginCall(...args: Parameters<typeof world.sessions.beginCall>) {
        const begun = await world.sessions.beginCall(...args);
        await world.clock.advance(5_001);
        return begun;
      },
    };
    const taken = world.queue.calls.receive();
    if (!taken) throw new Error('two calls wait');
    const invocation = { id: 'late', message: taken.handle, deadlineAt: world.clock.now() + 900_000 };
    expect(await runCall(taken.wake, invocation, world.agentOf, { ...world, sessions })).toBe('retry');
    expect(slow.keys).toEqual([]);
  });

  test('a dead letter ends its call: one that never began has not run, and one that did has an unknown outcome', async () => {
    const { world, slow } = await mixed('once');
    const [never, died] = [world.queue.calls.receive()?.wake, world.queue.calls.receive()?.wake];
    if (!never || !died) throw new Error('two calls wait');
    const until = world.clock.now() + 60_000;
    const start = { invocationId: 'i1', until };
    await world.sessions.beginCall(world.key, died.waitId, start, false, world.clock.now());

    expect(await abandonCall(never, invocationOf(world), world)).toBe('ack');
    expect(await abandonCall(died, invocationOf(world), world)).toBe('retry');
    expect(world.queue.messages()).toEqual([]);
    await world.clock.advance(60_000);
    expect(await abandonCall(died, invocationOf(world), world)).toBe('ack');
    await world.settle();
    expect(slow.keys).toEqual([]);
    const outcomes = Object.fromEntries(
      resultsOf(await world.slots()).map(({ callId, outcome }) => [callId, outcome]),
    );
    expect(outcomes).toEqual({ [never.callId]: 'cancelled', c2: 'ok', [died.callId]: 'unknown' });
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
    expect(await abandonCall(died, invocationOf(world), world)).toBe('ack');
  });

  test('a late delivery does not begin a call that is being given up', async () => {
    const { world, slow } = await mixed('read');
    const taken = world.queue.calls.receive();
    if (!taken) throw new Error('two calls wait');
    const start = { invocationId: 'i1', until: world.clock.now() + 60_000 };
    await world.sessions.beginCall(world.key, taken.wake.waitId, start, true, world.clock.now());
    await world.clock.advance(60_000);
    const late = { id: 'late', message: taken.handle, deadlineAt: world.clock.now() + 900_000 };
    const sessions = {
      ...world.sessions,
      async putResult(...args: Parameters<typeof world.sessions.putResult>) {
        expect(await runCall(taken.wake, late, world.agentOf, world)).toBe('retry');
        return world.sessions.putResult(...args);
      },
    };
    expect(await abandonCall(taken.wake, invocationOf(world), { ...world, sessions })).toBe('ack');
    expect(slow.keys).toEqual([]);
    expect(
      (await world.sessions.results(world.key, taken.wake.slot)).map(({ outcome }) => outcome),
    ).toContain('unknown');
  });

  test('approved calls may be queued', async () => {
    const slow = notedTool('slow', 'once');
    const model = scriptedModel(calling([{ id: 'c1', name: 'slow', input: {} }]), says('Done.'));
    const world = await sessionWorld(
      { tools: [{ ...slow.tool, where: 'queue', approval: 'always' }] },
      model,
    );
    await world.say('Go');
    await world.settle();
    const [asked] = await interruptsOf(world);
    await decide(world.key, asked?.id ?? '', { approved: true, by: 'ann' }, world);
    await world.settle();
    await runCalls(world);
    await world.settle();
    expect(slow.keys).toHaveLength(1);
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
  });
});
