import { describe, expect, test } from 'vitest';
import { askOf, cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { killAfter, killBefore } from '../../../testing/faults.ts';
import {
  calls,
  changed,
  fails,
  type Scripted,
  says,
  saysAndCalls,
  scriptedModel,
  usage,
} from '../../../testing/scripted-model.ts';
import { tooLong } from '../../support/folding-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { endings, notedTool, ofType, tool } from './reading.fixture.ts';
import { drive, read } from './rows.fixture.ts';

const get = tool('get');
const asks = (n: number, input = 100, output = 0) => changed(calls(['get', { n }]), usage(input, output));
const completed = { state: 'completed', reason: 'completed' };

describe('T6: wrap-up', () => {
  const summary = {
    findings: ['it is 7'],
    actionsTaken: [],
    failures: [],
    remainingWork: ['b'],
    suggestedNextSteps: [],
  };
  /** A run that gets a request while its first step is running. */
  const asked = async (
    control: 'wrap_up' | 'parent_cancel',
    script: (world: SessionWorld) => Scripted[],
    tools = [get],
  ) => {
    const world = await sessionWorld({ tools, guardrails: 'attocode' }, scriptedModel());
    const first: Scripted = async () => {
      expect(await askOf(world.key, control, 'ask1', world)).toBe('accepted');
      return asks(1);
    };
    world.model.answer(first, ...script(world));
    await world.say('Go.');
    await world.settle();
    expect(world.model.left()).toBe(0);
    return read(world);
  };

  test('T6: the next step only replies; its calls are dropped and leave history, its JSON is the result', async () => {
    const noted = notedTool('get', 'once');
    const last = saysAndCalls(`Here:\n${JSON.stringify(summary)}`, ['get', { n: 2 }]);
    const { end, told, events, slots } = await asked('wrap_up', () => [last], [noted.tool]);
    expect(noted.keys).toHaveLength(1);
    expect(told).toEqual(['wrap_up']);
    expect(end).toEqual({ ...completed, steps: 2 });
    expect(endings(events)[0]?.summary).toEqual(summary);
    expect(slots.at(-1)).toMatchObject({ reply: { content: [{ type: 'text' }] } });
  });

  test('T6: text that is no JSON is the one finding', async () => {
    const { events } = await asked('wrap_up', () => [says('It is 7, b is left.')]);
    expect(endings(events)[0]?.summary).toEqual({
      ...summary,
      findings: ['It is 7, b is left.'],
      remainingWork: [],
    });
  });

  test('T6: a cut summary is continued, still without tools', async () => {
    const text = JSON.stringify(summary);
    const cut = says(text.slice(0, 20), { stop: 'max_tokens' });
    const { end, events } = await asked('wrap_up', () => [
      cut,
      saysAndCalls(text.slice(20), ['get', { n: 2 }]),
    ]);
    expect(end).toEqual({ ...completed, steps: 3 });
    expect(endings(events)[0]?.summary).toEqual(summary);
  });

  test('T6: the request is not visible, and applies once: the next run is an ordinary one', async () => {
    const { world } = await asked('wrap_up', () => [says('{}')]);
    world.model.answer(asks(2), says('It is 7.'));
    await world.say('Go on.');
    await world.settle();
    const { events, told } = await read(world);
    expect(told).toEqual(['wrap_up']);
    expect(endings(events)[1]).toMatchObject({ success: true, steps: 2 });
    expect(JSON.stringify(ofType(events, 'TEXT_MESSAGE_CONTENT'))).not.toContain('wrap_up');
  });

  test('T6: an idle session has nothing to wrap up', async () => {
    const { world } = await drive({ guardrails: 'attocode' }, [says('It is 7.')]);
    expect(await askOf(world.key, 'wrap_up', 'ask1', world)).toBe('idle');
    expect(await askOf({ tenant: 'acme', sessionId: 'nope' }, 'wrap_up', 'ask1', world)).toBe(
      'unknown_session',
    );
    expect(world.queue.messages()).toEqual([]);
  });

  test('T6: a request after the run has just ended begins none', async () => {
    const world = await sessionWorld({ guardrails: 'attocode' }, scriptedModel(says('It is 7.')));
    await world.say('Go.');
    // The caller saw the run going; by the time the request is read, the run has ended.
    const seen = await world.view();
    await world.settle();
    const late = { ...world, sessions: { ...world.sessions, read: async () => seen } };
    expect(await askOf(world.key, 'wrap_up', 'ask1', late)).toBe('accepted');
    await world.settle();
    expect(endings(await world.events())).toHaveLength(1);
    expect((await world.view()).fence.inbox).toEqual([]);
  });

  test('T6: a death after the summary was kept asks for no second one', async () => {
    const world = await sessionWorld({ tools: [get], guardrails: 'attocode' }, scriptedModel());
    const first: Scripted = async () => {
      await askOf(world.key, 'wrap_up', 'ask1', world);
      return asks(1);
    };
    world.model.answer(first, says(JSON.stringify(summary)));
    await world.say('Go.');
    world.faults.at('sessions.commit', async (_proceed, host) => host.kill(), 2);
    await world.settle();
    const { end, told, asked: requests } = await read(world);
    expect({ end, told, requests }).toMatchObject({
      end: { ...completed, steps: 2 },
      told: ['wrap_up'],
      requests: 2,
    });
  });

  test('T1, T7: the parent’s cancel during a wrap-up: the summary is delivered, then the run is cancelled', async () => {
    const { end, slots, events } = await asked('wrap_up', (world) => [
      async () => {
        await askOf(world.key, 'parent_cancel', 'ask2', world);
        return says(JSON.stringify(summary));
      },
    ]);
    expect(end).toMatchObject({ state: 'cancelled', steps: 2 });
    expect(endings(events)).toHaveLength(1);
    expect(slots.at(-1)).toMatchObject({ reply: { content: [{ text: JSON.stringify(summary) }] } });
  });

  const cancelled = { state: 'cancelled', reason: 'cancelled' };
  const said = JSON.stringify(summary);
  const parentCancels = (world: SessionWorld) => askOf(world.key, 'parent_cancel', 'ask2', world);

  test('T7: the summary is in the ending, also if the parent’s cancel comes with its last words', async () => {
    const { events } = await asked('wrap_up', (world) => [
      async () => {
        await parentCancels(world);
        return says(said);
      },
    ]);
    expect(endings(events)).toMatchObject([{ ...cancelled, code: 'parent_cancelled', summary }]);
  });

  test('T6: the summary is in the ending, also if a message continues the run and its model then fails', async () => {
    const { end, events } = await asked('wrap_up', (world) => [
      async () => {
        await world.say('And?');
        return says(said);
      },
      { kind: 'failed', failure: { kind: 'fatal', code: 'invalid_request_error', message: 'no' } },
    ]);
    expect(end).toMatchObject({ state: 'error' });
    expect(endings(events)).toMatchObject([{ summary }]);
  });

  test('T6: the summary is in the ending, also if the context is folded before the model fails', async () => {
    const { end, events } = await asked('wrap_up', (world) => [
      async () => {
        await world.say('And?');
        return says(said);
      },
      tooLong(9_000, 4_000),
      tooLong(9_000, 4_000),
    ]);
    expect(end).toMatchObject({ reason: 'context_limit' });
    expect(endings(events)).toMatchObject([{ summary }]);
  });

  test('T7: if both are requested in one step, the wrap-up goes first', async () => {
    for (const order of [
      ['wrap_up', 'parent_cancel'],
      ['parent_cancel', 'wrap_up'],
    ] as const) {
      const world = await sessionWorld({ tools: [get], guardrails: 'attocode' }, scriptedModel());
      world.model.answer(async () => {
        for (const control of order) await askOf(world.key, control, control, world);
        return asks(1);
      }, says(said));
      await world.say('Go.');
      await world.settle();
      const { end, events, told } = await read(world);
      expect({ end, told }).toEqual({ end: { ...cancelled, steps: 2 }, told: ['wrap_up'] });
      expect(endings(events)).toMatchObject([{ code: 'parent_cancelled', summary }]);
    }
  });

  test('T7: a summary that is cut, or whose call fails once, is waited for', async () => {
    const { end, events } = await asked('wrap_up', (world) => [
      async () => {
        await parentCancels(world);
        return says(said.slice(0, 20), { stop: 'max_tokens' });
      },
      fails(),
      says(said.slice(20)),
    ]);
    expect(end).toEqual({ ...cancelled, steps: 3 });
    expect(endings(events)).toMatchObject([{ summary, answer: { text: said } }]);
  });

  test('T7: one that keeps failing is waited for no longer than two minutes, also if its server asks for more', async () => {
    const fail = fails({ rateLimited: true, retryAfterMs: 3_600_000 });
    const { world, end, events } = await asked('wrap_up', (world) => [
      async () => {
        await parentCancels(world);
        return says('{"findings": ["half', { stop: 'max_tokens' });
      },
      fail,
    ]);
    expect(end).toEqual({ ...cancelled, steps: 2 });
    // The summary so far is reported.
    expect(endings(events)).toMatchObject([{ summary: { findings: ['{"findings": ["half'] } }]);
    const { startedAt } = (await world.view()).session.run ?? { startedAt: 0 };
    expect(world.clock.now() - startedAt).toBeLessThan(130_000);
  });

  test('T7: one that is cut again and again is waited for five times', async () => {
    const cut = says('and on', { stop: 'max_tokens' });
    const world = await sessionWorld({ guardrails: { truncation: { max: 50 } } }, scriptedModel());
    world.model.answer(
      async () => {
        for (const control of ['wrap_up', 'parent_cancel'] as const)
          await askOf(world.key, control, control, world);
        return says('one', { stop: 'max_tokens' });
      },
      ...Array.from({ length: 5 }, () => cut),
    );
    await world.say('Go.');
    await world.settle();
    const { end, asked: requests } = await read(world);
    expect({ end, requests }).toEqual({ end: { ...cancelled, steps: 6 }, requests: 6 });
  });

  test('T7: a wrap-up that fails for good ends as the parent wants it', async () => {
    const { end } = await asked('wrap_up', (world) => [
      async () => {
        await parentCancels(world);
        return says('half', { stop: 'max_tokens' });
      },
      { kind: 'failed', failure: { kind: 'account', code: 'invalid_key', message: 'no' } },
    ]);
    expect(end).toEqual({ ...cancelled, steps: 2 });
  });

  test('T7: the next run is not affected', async () => {
    const { world } = await asked('wrap_up', (w) => [
      async () => {
        await parentCancels(w);
        return says(said);
      },
    ]);
    world.model.answer(asks(2), says('It is 7.'));
    await world.say('Go on.');
    await world.settle();
    expect((await read(world)).end).toEqual({ ...completed, steps: 2 });
  });

  test('T7: a death while the parent’s cancel waits changes nothing', async () => {
    for (const nth of [2, 3]) {
      const world = await sessionWorld({ tools: [get], guardrails: 'attocode' }, scriptedModel());
      world.model.answer(async () => {
        await askOf(world.key, 'wrap_up', 'ask1', world);
        await parentCancels(world);
        return asks(1);
      }, says(said));
      await world.say('Go.');
      world.faults.at('sessions.commit', killBefore, 2);
      world.faults.at('sessions.commit', killAfter, nth);
      await world.settle();
      const { end, events, asked: requests } = await read(world);
      expect({ end, requests }).toEqual({ end: { ...cancelled, steps: 2 }, requests: 2 });
      expect(endings(events)).toMatchObject([{ summary }]);
    }
  });

  test('T6: a summary that is the last thing the budget allows is in the ending, too', async () => {
    const world = await sessionWorld(
      { tools: [get], limits: { tokenBudget: 200 }, guardrails: { budget: { forceTextAt: 0 } } },
      scriptedModel(),
    );
    world.model.answer(
      async () => {
        await askOf(world.key, 'wrap_up', 'ask1', world);
        return asks(1);
      },
      changed(says(said), usage(100, 50)),
    );
    await world.say('Go.');
    await world.settle();
    expect(endings(await world.events())).toMatchObject([{ state: 'budget_exceeded', summary }]);
  });

  test('T6: if the budget only allows a final reply, a wrap-up still asks for the summary', async () => {
    const world = await sessionWorld(
      { tools: [get], limits: { tokenBudget: 200 }, guardrails: { budget: { forceTextAt: 0.5 } } },
      scriptedModel(),
    );
    world.model.answer(
      async () => {
        await askOf(world.key, 'wrap_up', 'ask1', world);
        return asks(1, 120);
      },
      changed(says(said), usage(10, 5)),
    );
    await world.say('Go.');
    await world.settle();
    const { told, events } = await read(world);
    expect(told).toEqual(['wrap_up']);
    expect(endings(events)).toMatchObject([{ ...completed, summary }]);
  });

  test('T7: a request to a run does not apply to the next one, which a message has started meanwhile', async () => {
    for (const control of ['wrap_up', 'parent_cancel'] as const) {
      const world = await sessionWorld({ tools: [get] }, scriptedModel());
      world.model.answer(
        async () => {
          await askOf(world.key, control, 'ask1', world);
          await world.say('And then?');
          return says('I must not.', { stop: 'refusal' });
        },
        asks(1),
        says('Done: it is 7.'),
      );
      await world.say('Go.');
      await world.settle();
      expect(endings(await world.events())).toMatchObject([
        { state: 'error', reason: 'blocked' },
        { ...completed, steps: 2 },
      ]);
    }
  });

  test('T7: otherwise the parent’s cancel ends the run before its next step', async () => {
    const { end, asked: requests, world } = await asked('parent_cancel', () => []);
    expect(requests).toBe(1);
    expect(end).toMatchObject({ state: 'cancelled', reason: 'cancelled', steps: 1 });
    expect((await world.view()).dueAt).toBeUndefined();
  });

  test('T1: the own cancel stops a wrap-up at once', async () => {
    const { end } = await asked('wrap_up', (world) => [
      async ({ signal, stream }) => {
        stream('{"findings"');
        await cancel(world.key, world);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return says('{"findings"', { stop: 'interrupted' });
      },
    ]);
    expect(end).toMatchObject({ state: 'cancelled' });
  });
});

test('T7: after a step that ends a run and dies before it has notified the parent the next one does only that', async () => {
  const world = await sessionWorld({ tools: [get] }, scriptedModel());
  world.model.answer(async () => {
    await askOf(world.key, 'parent_cancel', 'ask1', world);
    return asks(1);
  });
  await world.say('Go.');
  await world.sessions.subscribe(world.key, 'c1');
  world.faults.at('sessions.commit', killAfter, 2);
  expect([await world.step(), await world.step(), await world.step()]).toEqual(['ack', 'stopped', 'ack']);
  expect((await world.view()).session).toMatchObject({ state: 'cancelled' });
  const pushed = world.sockets.sent.filter(({ connectionId }) => connectionId === 'c1');
  expect(pushed.filter(({ data }) => data.includes('RUN_FINISHED'))).toHaveLength(1);
});
