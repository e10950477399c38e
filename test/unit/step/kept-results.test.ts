import { expect, test, vi } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { answerCall } from '../../../shared/agent/entrypoints/answer.ts';
import { runCall } from '../../../shared/agent/entrypoints/call.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import type { ToolContext } from '../../../shared/agent/tools/tool.ts';
import {
  failBefore,
  freezeAfter,
  freezeBefore,
  justBefore,
  killAfter,
  killBefore,
} from '../../../testing/faults.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { ofType, resultsOf, tool } from './reading.fixture.ts';

type Run = (context: ToolContext) => unknown;

/** A tool with a different result for each run. */
function turning(name: string, runs: readonly Run[], where: 'inline' | 'queue' = 'inline') {
  let count = 0;
  const run = (_input: unknown, context: ToolContext) => runs[count++]?.(context);
  return { tool: tool(name, run, { effect: 'idempotent', where }), runs: () => count };
}

const fails: Run = () => {
  throw new Error('not now');
};
const writes: Run = async ({ services }) => services.workspace.write('a.txt', 'first');
const isThere: Run = async ({ services }) =>
  (await services.workspace.stat('a.txt')) ? 'there' : 'not there';

/** Receives the queued call, and gives it to a worker. */
function receive(world: SessionWorld) {
  const taken = world.queue.calls.receive();
  if (!taken) throw new Error('no call is queued');
  const run = async (io: Parameters<typeof runCall>[3] = world) => {
    const deadlineAt = world.clock.now() + 60_000;
    const invocation = { id: world.ids.next(), message: taken.handle, deadlineAt };
    const settled = await runCall(taken.wake, invocation, world.agentOf, io);
    if (settled === 'ack') world.queue.calls.delete(taken.handle);
  };
  return run;
}

/** Longer than any worker of a call lives here, in ms. */
const DEAD_MS = 120_000;

const contents = async (world: SessionWorld) => resultsOf(await world.slots()).map(({ content }) => content);

test('the new owner of a batch uses the kept results of its calls, and runs none of those again', async () => {
  const write = turning('write', [writes, fails]);
  const look = turning('look', [isThere, isThere]);
  const slow = turning('slow', [() => 'slow'], 'queue');
  const model = scriptedModel(calls(['write', {}], ['look', {}], ['slow', {}]), says('Done.'));
  const world = await sessionWorld({ tools: [write.tool, look.tool, slow.tool] }, model);
  await world.say('Go.');
  // The result of the first call is kept, and the second one has none.
  world.faults.at('sessions.putResult', killBefore, 2);
  await world.step();
  await world.settle();
  await receive(world)();
  await world.settle();
  expect([write.runs(), look.runs()]).toEqual([1, 2]);
  expect(await contents(world)).toEqual(['ok', 'there', 'slow']);
});

test('a queued call with a kept result of a dead worker does not run again', async () => {
  const slow = turning('slow', [fails, () => 'second'], 'queue');
  const world = await sessionWorld({ tools: [slow.tool] }, scriptedModel(calls(['slow', {}]), says('Done.')));
  await world.say('Go.');
  await world.settle();
  const run = receive(world);
  world.faults.at('sessions.finishCall', killBefore);
  void run(world.faults.host(world).ports);
  await world.clock.advance(DEAD_MS);
  await run();
  await world.settle();
  expect(slow.runs()).toBe(1);
  expect(await contents(world)).toEqual([expect.stringContaining('not now')]);
});

test('a worker that stood still before it ran a call again leaves it to the next one', async () => {
  const slow = turning('slow', [() => 'second'], 'queue');
  const world = await sessionWorld({ tools: [slow.tool] }, scriptedModel(calls(['slow', {}]), says('Done.')));
  await world.say('Go.');
  await world.settle();
  const run = receive(world);
  world.faults.at('sessions.beginCall', killAfter);
  void run(world.faults.host(world).ports);
  await world.clock.advance(DEAD_MS);
  world.faults.at(
    'sessions.results',
    justBefore(() => world.clock.advance(DEAD_MS)),
  );
  await run(world.faults.host(world).ports);
  expect(slow.runs()).toBe(0);
  await run();
  await world.settle();
  expect(await contents(world)).toEqual(['second']);
});

/** A call that waits for its answer, while a worker that was taken for dead keeps its result there. */
const waitingBesideKept = async () => {
  let token = '';
  const waits: Run = async (context) => {
    const later = await context.later();
    token = later.token;
    return later;
  };
  const slow = turning('slow', [fails, waits], 'queue');
  const world = await sessionWorld({ tools: [slow.tool] }, scriptedModel(calls(['slow', {}]), says('Done.')));
  await world.say('Go.');
  await world.settle();
  const run = receive(world);
  const { host, ports } = world.faults.host(world);
  world.faults.at('sessions.putResult', freezeBefore);
  void run(ports);
  await world.clock.advance(DEAD_MS);
  await run();
  host.thaw();
  await world.clock.advance(100);
  await world.settle();
  expect((await world.view()).session).toMatchObject({ reason: 'awaiting_callback' });
  return { world, token };
};

test('a call that is answered later waits on if a worker that was taken for dead keeps a result', async () => {
  const { world, token } = await waitingBesideKept();
  expect(await answerCall(token, { result: 'from outside' }, world)).toBe('taken');
  await world.settle();
  expect(await contents(world)).toEqual(['from outside']);
});

test('the kept result of such a worker is the result of the call if no answer comes, and then no answer counts', async () => {
  const { world, token } = await waitingBesideKept();
  await cancel(world.key, world);
  await world.settle();
  expect(await contents(world)).toEqual([expect.stringContaining('not now')]);
  expect(await answerCall(token, { result: 'from outside' }, world)).toBe('over');
});

test('a worker that cannot settle its call stops checking for a cancel', async () => {
  const own: Run = async (context) => void (await context.later());
  const slow = turning('slow', [own], 'queue');
  const world = await sessionWorld({ tools: [slow.tool] }, scriptedModel(calls(['slow', {}]), says('Done.')));
  await world.say('Go.');
  await world.settle();
  world.faults.at('later.settle', failBefore);
  await expect(receive(world)(world.faults.host(world).ports)).rejects.toThrow();
  const looks = world.faults.count('sessions.watch');
  await world.clock.advance(10_000);
  expect(world.faults.count('sessions.watch')).toBe(looks);
});

test('parallel calls all come to their end, also if one of them cannot be settled', async () => {
  const now = turning('now', [() => 'now', () => 'now', () => 'now']);
  const slow: Run = async (context) => {
    await world.clock.sleep(5_000);
    return isThere(context);
  };
  const later = { ...turning('later', [slow, slow, slow]).tool, effect: 'read' as const };
  const tools = [{ ...now.tool, effect: 'read' as const }, later];
  const model = scriptedModel(calls(['now', {}], ['later', {}]), says('Done.'));
  const world = await sessionWorld({ tools }, model);
  await world.say('Go.');
  // The reply is kept, and the results are not.
  world.faults.at('sessions.putSlot', killBefore, 2);
  await world.step();
  world.faults.at('later.settle', failBefore);
  await world.clock.advance(120_000);
  expect(await world.step()).toBe('retry');
  const asked = world.faults.total();
  await world.clock.advance(10_000);
  expect(world.faults.total()).toBe(asked);
  await world.settle();
  expect(await contents(world)).toEqual(['now', 'not there']);
});

/** A run that gives a token out, and then asks a person. */
function asksWithToken() {
  let token = '';
  const asks: Run = async (context) => {
    token = (await context.later()).token;
    return context.ask('Shall I?');
  };
  return { asks, token: () => token };
}

test.each(['inline', 'queue'] as const)(
  'a call that gave a token out before it asked a person, and then fails, accepts no answer any more (%s)',
  async (where) => {
    const { asks, token } = asksWithToken();
    const slow = turning('slow', [asks, fails], where);
    const look = turning('look', [() => 'looked'], 'queue');
    const model = scriptedModel(calls(['slow', {}], ['look', {}]), says('Done.'));
    const world = await sessionWorld({ tools: [slow.tool, look.tool] }, model);
    await world.say('Go.');
    await world.settle();
    while (world.queue.calls.messages().length > 0) await receive(world)();
    await world.settle();
    const [wait] = (await world.view()).session.batch?.waits ?? [];
    await decide(world.key, wait?.id ?? '', { approved: true, by: 'user:ada' }, world);
    const sent: string[] = [];
    world.faults.at(
      'sessions.commit',
      justBefore(async () => void sent.push(await answerCall(token(), { result: 'from outside' }, world))),
    );
    await world.settle();
    while (world.queue.calls.messages().length > 0) await receive(world)();
    await world.settle();
    sent.push(await answerCall(token(), { result: 'from outside' }, world));
    const [content] = await contents(world);
    expect(slow.runs()).toBe(2);
    expect([content, sent.at(-1)]).toEqual(
      where === 'inline' ? [expect.stringContaining('not now'), 'over'] : ['from outside', 'taken_before'],
    );
  },
);

test.each([true, false])(
  'a call that gave a token out before it asked a person, who denies it: answered before: %s',
  async (before) => {
    const { asks, token } = asksWithToken();
    const slow = turning('slow', [asks]);
    const world = await sessionWorld(
      { tools: [slow.tool] },
      scriptedModel(calls(['slow', {}]), says('Done.')),
    );
    await world.say('Go.');
    await world.settle();
    const [wait] = (await world.view()).session.batch?.waits ?? [];
    const answer = () => answerCall(token(), { result: 'from outside' }, world);
    if (before) expect(await answer()).toBe('taken');
    await decide(world.key, wait?.id ?? '', { approved: false, by: 'user:ada' }, world);
    await world.settle();
    expect(await answer()).toBe(before ? 'taken_before' : 'over');
    expect(await contents(world)).toEqual([before ? 'from outside' : expect.stringMatching(/denied/i)]);
  },
);

test('a call of a dead step that gave a token out is settled also if its run is stopped', async () => {
  for (const before of [true, false]) {
    const { asks, token } = asksWithToken();
    const slow = turning('slow', [asks]);
    const model = scriptedModel(calls(['slow', {}]), says('Done.'));
    const world = await sessionWorld({ tools: [slow.tool] }, model);
    await world.say('Go.');
    world.faults.at('sessions.commit', killBefore);
    await world.step();
    const answer = () => answerCall(token(), { result: 'from outside' }, world);
    if (before) expect(await answer()).toBe('taken');
    await cancel(world.key, world);
    await world.settle();
    expect(await answer()).toBe(before ? 'taken_before' : 'over');
    expect(await contents(world)).toEqual([before ? 'from outside' : expect.stringMatching(/^Error/)]);
  }
});

test('a call that gave a token out before it asked a person is settled also if a stop prevents it from continuing', async () => {
  const { asks, token } = asksWithToken();
  const slow = turning('slow', [asks]);
  const world = await sessionWorld({ tools: [slow.tool] }, scriptedModel(calls(['slow', {}]), says('Done.')));
  await world.say('Go.');
  await world.settle();
  const [wait] = (await world.view()).session.batch?.waits ?? [];
  expect(await answerCall(token(), { result: 'from outside' }, world)).toBe('taken');
  await decide(world.key, wait?.id ?? '', { approved: true, by: 'user:ada' }, world);
  // The step that would run it has begun by then.
  world.faults.at(
    'sessions.results',
    justBefore(async () => void (await cancel(world.key, world))),
  );
  await world.settle();
  expect(slow.runs()).toBe(1);
  expect(await contents(world)).toEqual(['from outside']);
});

test('a queued call that gave a token out before it asked a person is settled also if it is stopped before it continues', async () => {
  for (const before of [true, false]) {
    const { asks, token } = asksWithToken();
    const slow = turning('slow', [asks], 'queue');
    const model = scriptedModel(calls(['slow', {}]), says('Done.'));
    const world = await sessionWorld({ tools: [slow.tool] }, model);
    await world.say('Go.');
    await settleWithCalls(world);
    const [wait] = (await world.view()).session.batch?.waits ?? [];
    const answer = () => answerCall(token(), { result: 'from outside' }, world);
    if (before) expect(await answer()).toBe('taken');
    await decide(world.key, wait?.id ?? '', { approved: true, by: 'user:ada' }, world);
    // It is on its way to the queue when the run is stopped.
    await world.settle();
    await cancel(world.key, world);
    await world.settle();
    expect(await answer()).toBe(before ? 'taken_before' : 'over');
    expect(slow.runs()).toBe(1);
    expect(await contents(world)).toEqual([before ? 'from outside' : expect.stringMatching(/^Error/)]);
  }
});

test('a queued call that gave a token out and asks a person is settled also if it is stopped before they are asked', async () => {
  const { asks, token } = asksWithToken();
  const slow = turning('slow', [asks], 'queue');
  const world = await sessionWorld({ tools: [slow.tool] }, scriptedModel(calls(['slow', {}]), says('Done.')));
  await world.say('Go.');
  await world.settle();
  await receive(world)();
  expect(await answerCall(token(), { result: 'from outside' }, world)).toBe('taken');
  await cancel(world.key, world);
  await world.settle();
  expect(await contents(world)).toEqual(['from outside']);
});

test('a call that runs again changes only as much as fits beside the kept result of a later one', async () => {
  const grow = turning('grow', [fails, writes]);
  const pay = tool('pay', (_input, { services }) => services.workspace.write('b.txt', 'paid'), {
    effect: 'once',
  });
  const agent = {
    tools: [grow.tool, pay],
    limits: { workspace: { files: 1 } },
    approvals: 'by_tool' as const,
  };
  const world = await sessionWorld(agent, scriptedModel(calls(['grow', {}], ['pay', {}]), says('Done.')));
  await world.say('Go.');
  // The call that failed may run again; that of the one after it is kept.
  world.faults.at('sessions.putSlot', killBefore, 2);
  await world.step();
  await world.settle();
  expect(grow.runs()).toBe(2);
  expect(await contents(world)).toEqual([expect.stringContaining('has room for 1 files'), 'ok']);
});

test('a call that a dead step has begun has a result, also if guards now end the run at its reply', async () => {
  let isOver = false;
  const late = defineGuard({
    name: 'late',
    scope: 'run',
    initial: {},
    hooks: {
      reply: () =>
        isOver
          ? {
              verdict: { kind: 'halt', state: 'error', reason: 'tool_error', code: 'late', message: 'Over.' },
            }
          : undefined,
    },
  });
  const pay = tool('pay', () => 'paid', { effect: 'once' });
  const agent = { tools: [pay], guards: [late], approvals: 'by_tool' as const };
  const world = await sessionWorld(agent, scriptedModel(calls(['pay', {}], ['pay', {}]), says('Done.')));
  await world.say('Go.');
  world.faults.at('sessions.fence', killAfter);
  await world.step();
  isOver = true;
  await world.settle();
  expect(resultsOf(await world.slots()).map(({ outcome }) => outcome)).toEqual(['unknown', 'cancelled']);
  expect((await world.view()).session.state).toBe('error');
});

test('an open batch is not closed with late writes of an owner who was taken for dead', async () => {
  const look = turning('look', [() => 'first', ({ ask }) => ask('Shall I?'), () => 'third']);
  const world = await sessionWorld({ tools: [look.tool] }, scriptedModel(calls(['look', {}]), says('Done.')));
  await world.say('Go.');
  world.faults.at('sessions.putSlot', freezeBefore, 2);
  const zombie = world.begin();
  expect(await zombie?.finish()).toBe('stopped');
  await world.clock.advance(70_000);
  await world.settle();
  const [wait] = (await world.view()).session.batch?.waits ?? [];
  zombie?.host.thaw();
  expect(await zombie?.finish()).toBe('retry');
  await decide(world.key, wait?.id ?? '', { approved: true, by: 'user:ada' }, world);
  await world.settle();
  expect(await contents(world)).toEqual(['third']);
  const told = ofType(await world.events(), 'TOOL_CALL_RESULT').map(({ content }) => content);
  expect(told.at(-1)).toBe('third');
});

test('an owner that was taken for dead reports a call as not begun too late: its successor has begun it, and that counts', async () => {
  let hangs = true;
  const slow = tool('slow', () => (hangs ? world.clock.sleep(600_000) : 'quick'), { effect: 'idempotent' });
  const paid = vi.fn(() => 'paid');
  const pay = tool('pay', paid, { effect: 'once' });
  const model = scriptedModel(calls(['slow', {}], ['pay', {}]), says('Done.'));
  const world = await sessionWorld({ tools: [slow, pay], approvals: 'by_tool' }, model);
  await world.say('Go.');
  // It has no time left for the second call, and stands still as it records that.
  world.faults.at('sessions.putSlot', freezeBefore, 2);
  const zombie = world.begin({ deadlineMs: 60_000 });
  expect(await zombie?.finish()).toBe('stopped');
  await world.clock.advance(DEAD_MS);
  hangs = false;
  // The next one pays, and dies before its batch is written.
  world.faults.at('sessions.putResult', killBefore);
  await world.step();
  expect(paid).toHaveBeenCalledTimes(1);
  zombie?.host.thaw();
  expect(await zombie?.finish()).toBe('retry');
  await world.settle();
  expect(paid).toHaveBeenCalledTimes(1);
  expect(await contents(world)).toEqual(['quick', 'paid']);
});

test('an owner that stood still while it was allowed to begin a call checks again before it does', async () => {
  const paid = vi.fn(() => 'paid');
  const model = scriptedModel(calls(['pay', {}]), says('Done.'));
  const pay = tool('pay', paid, { effect: 'idempotent' });
  const world = await sessionWorld({ tools: [pay], approvals: 'by_tool' }, model);
  await world.say('Go.');
  world.faults.at('sessions.watch', freezeAfter);
  const zombie = world.begin();
  expect(await zombie?.finish()).toBe('stopped');
  await world.clock.advance(DEAD_MS);
  await world.settle();
  expect(paid).toHaveBeenCalledTimes(1);
  zombie?.host.thaw();
  await zombie?.finish();
  expect(paid).toHaveBeenCalledTimes(1);
});

test('an owner that stood still before a call, and was not taken for dead, begins it', async () => {
  const paid = vi.fn(() => 'paid');
  const model = scriptedModel(calls(['pay', {}]), says('Done.'));
  const pay = tool('pay', paid, { effect: 'once' });
  const world = await sessionWorld({ tools: [pay], approvals: 'by_tool' }, model);
  await world.say('Go.');
  world.faults.at('sessions.fence', freezeAfter);
  const slow = world.begin();
  expect(await slow?.finish()).toBe('stopped');
  await world.clock.advance(6_000);
  slow?.host.thaw();
  await slow?.finish();
  await world.settle();
  expect(paid).toHaveBeenCalledTimes(1);
  expect(await contents(world)).toEqual(['paid']);
});

test('the next unsafe call begins, and the batch is committed, only after the result of the last one is kept', async () => {
  const order: string[] = [];
  const pay = tool('pay', () => void order.push('paid'), { effect: 'once' });
  const world = await sessionWorld(
    { tools: [pay] },
    scriptedModel(calls(['pay', { n: 1 }], ['pay', { n: 2 }]), says('Done.')),
  );
  await world.say('Go.');
  for (const nth of [1, 2])
    world.faults.at(
      'sessions.putResult',
      async (proceed) => {
        // Longer than everything else of a step takes here.
        await world.clock.sleep(1_000);
        await proceed();
        order.push('kept');
      },
      nth,
    );
  world.faults.at('sessions.putSlot', async (proceed) => {
    order.push('slot of the reply');
    return proceed();
  });
  world.faults.at(
    'sessions.putSlot',
    async (proceed) => {
      order.push('slot of the results');
      return proceed();
    },
    2,
  );
  await world.settle();
  expect(order).toEqual(['slot of the reply', 'paid', 'kept', 'paid', 'kept', 'slot of the results']);
});
