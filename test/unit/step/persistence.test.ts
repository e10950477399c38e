import { describe, expect, test } from 'vitest';
import { defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import type { Session } from '../../../shared/agent/session.ts';
import { pkOf } from '../../../shared/memory/table.ts';
import { calls, fails, says, scriptedModel } from '../../support/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { ending, endings, ofType, textsOf, tool } from './reading.fixture.ts';

/** Changes the stored session behind the core's back, as an old version may have written it. */
function rewrite({ table, key }: SessionWorld, change: (session: Session) => Session): void {
  const head = table.heads.get(pkOf(key));
  if (head) table.heads.set(pkOf(key), { ...head, session: change(head.session) });
}

const get = tool('get');

describe('A17: counters', () => {
  test('A17: a session without any slice loads with defaults', async () => {
    const world = await sessionWorld({ tools: [get] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    await world.step();
    rewrite(world, (session) => ({ ...session, metadata: { guardrails: {} } }));
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect((await world.view()).session.metadata.guardrails).toMatchObject({ max_steps: { steps: 1 } });
  });

  test('A17: a slice without a new key loads with its default, and keeps its old ones', async () => {
    const seen: unknown[] = [];
    const counter = defineGuard<{ old: number; added: number }>({
      name: 'counter',
      scope: 'session',
      initial: { old: 0, added: 7 },
      hooks: {
        reply: (state) => {
          seen.push(state);
          return { state: { old: state.old + 1, added: state.added + 1 } };
        },
      },
    });
    const world = await sessionWorld({ guards: [counter] }, scriptedModel(says('ok')));
    await world.say('hi');
    rewrite(world, (session) => ({ ...session, metadata: { guardrails: { counter: { old: 3 } } } }));
    await world.settle();
    expect(seen).toEqual([{ old: 3, added: 7 }]);
    expect((await world.view()).session.metadata.guardrails.counter).toEqual({ old: 4, added: 8 });
  });

  test('A17: the slice of a guard that is gone is left alone', async () => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    rewrite(world, (session) => ({ ...session, metadata: { guardrails: { retired: { n: 1 } } } }));
    await world.settle();
    expect((await world.view()).session.metadata.guardrails.retired).toEqual({ n: 1 });
  });

  test('A17: counters survive from step to step: the repetition of a later deploy still halts', async () => {
    const same = () => calls(['get', {}]);
    const world = await sessionWorld(
      { tools: [get], guardrails: { recovery: { total: 0 } } },
      scriptedModel(same(), same(), same(), same()),
    );
    await world.say('hi');
    await world.step();
    await world.step();
    world.deploy({ tools: [get], version: '2' });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ reason: 'loop_halt', steps: 4 });
  });

  test.each(['metadata', 'nudges'])('A17: a session without the key %s loads', async (key) => {
    const world = await sessionWorld({}, scriptedModel(says('ok')));
    await world.say('hi');
    rewrite(
      world,
      (session) =>
        Object.fromEntries(Object.entries(session).filter(([name]) => name !== key)) as unknown as Session,
    );
    await world.settle(10);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect((await world.view()).session).toHaveProperty(key);
  });
});

describe('A18: waiting for a person', () => {
  const asksFirst = defineGuard<{ asked: boolean }>({
    name: 'asks_first',
    scope: 'session',
    initial: { asked: false },
    hooks: {
      reply: ({ asked }) =>
        asked
          ? undefined
          : {
              state: { asked: true },
              verdict: {
                kind: 'halt',
                state: 'waiting_for_input',
                reason: 'awaiting_user',
                code: 'asks_first',
                message: 'Somebody should read this first. Send a message to go on.',
              },
            },
    },
  });

  test('A18: holds no wake, no lease and no due moment', async () => {
    const world = await sessionWorld({ guards: [asksFirst] }, scriptedModel(says('Hm?')));
    await world.say('hi');
    await world.settle();
    const view = await world.view();
    expect(view).toMatchObject({ session: { state: 'waiting_for_input' }, leaseUntil: 0 });
    expect(view.dueAt).toBeUndefined();
    expect(world.queue.messages()).toEqual([]);
    expect(ofType(await world.events(), 'RUN_FINISHED')).toMatchObject([{ outcome: { type: 'interrupt' } }]);
  });

  test('A18: the next message goes on an hour later, and the timeout does not mind', async () => {
    const world = await sessionWorld(
      { limits: { timeoutSeconds: 60 }, guards: [asksFirst] },
      scriptedModel(says('Hm?'), says('ok')),
    );
    await world.say('hi');
    await world.settle();
    await world.clock.advance(3_600_000);
    await world.say('go on');
    await world.settle();
    expect(endings(await world.events()).map(({ state }) => state)).toEqual([
      'waiting_for_input',
      'completed',
    ]);
  });
});

describe('A21: the definition is a snapshot', () => {
  const changedAll = {
    system: 'Changed.',
    model: { name: 'other-model' },
    limits: { maxSteps: 1 },
    tools: [get, tool('extra')],
  };

  test('A21: a definition edited in mid-run leaves the run as it was', async () => {
    const world = await sessionWorld(
      { tools: [get] },
      scriptedModel(calls(['get', {}]), calls(['get', { n: 2 }]), says('ok')),
    );
    await world.say('hi');
    await world.step();
    world.deploy(changedAll);
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 3 });
    const [first, , last] = world.model.requests;
    const { messages: _first, ...before } = first ?? { messages: [] };
    const { messages: _last, ...afterwards } = last ?? { messages: [] };
    expect(afterwards).toEqual(before);
  });

  test('A21: a definition edited between runs leaves the session as it was', async () => {
    const world = await sessionWorld({ tools: [get] }, scriptedModel(says('one'), says('two')));
    await world.say('a');
    await world.settle();
    world.deploy(changedAll);
    await world.say('b');
    await world.settle();
    expect(world.model.requests[1]).toMatchObject({
      system: 'Test.',
      model: 'test-model',
      tools: [{ name: 'get' }],
    });
  });

  test("A21: a guard's limits are those of the snapshot", async () => {
    const world = await sessionWorld(
      { limits: { maxRetries: 2, outageSeconds: 0 } },
      scriptedModel(fails(), fails()),
    );
    await world.say('hi');
    await world.step();
    world.deploy({ limits: { maxRetries: 100, outageSeconds: 900 } });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ reason: 'provider_error' });
  });

  test('A21: an agent that is not deployed any more answers calls with errors', async () => {
    const world = await sessionWorld({ tools: [get] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    world.deploy({ name: 'another' });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(textsOf(world.model.requests[1], 'user')).toEqual(['hi']);
  });
});
