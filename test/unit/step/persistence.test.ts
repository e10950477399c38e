import { describe, expect, test } from 'vitest';
import { type AnyGuard, defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import type { Session } from '../../../shared/agent/session/session.ts';
import { pkOf } from '../../../shared/memory/table.ts';
import { killBefore } from '../../../testing/faults.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { ending, endings, ofType, resultsOf, textsOf, tool } from './reading.fixture.ts';

/** Changes the stored session directly, to what an old version may have written. */
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

  test('A17: the slice of a removed guard is left alone', async () => {
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
                message: 'A person should read this first. Send a message to go on.',
              },
            },
    },
  });

  test('A18: has no wake, no lease and no due time', async () => {
    const world = await sessionWorld({ guards: [asksFirst] }, scriptedModel(says('Hm?')));
    await world.say('hi');
    await world.settle();
    const view = await world.view();
    expect(view).toMatchObject({ session: { state: 'waiting_for_input' }, leaseUntil: 0 });
    expect(view.dueAt).toBeUndefined();
    expect(world.queue.messages()).toEqual([]);
    expect(ofType(await world.events(), 'RUN_FINISHED')).toMatchObject([{ outcome: { type: 'interrupt' } }]);
  });

  test('A18: the next message continues an hour later, and the timeout does not count the wait', async () => {
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

  test('A21: a definition that is edited during a run leaves the run as it was', async () => {
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

  test('A21: a definition that is edited between runs leaves the session as it was', async () => {
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

  test('A21: an agent that is no longer deployed answers calls with errors', async () => {
    const world = await sessionWorld({ tools: [get] }, scriptedModel(calls(['get', {}]), says('ok')));
    await world.say('hi');
    world.deploy({ name: 'another' });
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(textsOf(world.model.requests[1], 'user')).toEqual(['hi']);
  });
});

describe('A21: rules belong to a run, the prompt to the session', () => {
  const steps = (n: number) => Array.from({ length: n }, (_, i) => calls(['get', { i }]));

  test("A21: limits and guardrails apply from the next run on; the model's own instructions stay", async () => {
    const world = await sessionWorld(
      { tools: [get], limits: { maxSteps: 9 } },
      scriptedModel(...steps(2), says('one'), ...steps(2)),
    );
    await world.say('a');
    await world.step();
    world.deploy({ system: 'Changed.', tools: [get, tool('extra')], limits: { maxSteps: 2 } });
    await world.settle();
    await world.say('b');
    await world.settle();
    expect(endings(await world.events())).toMatchObject([
      { state: 'completed', steps: 3 },
      { state: 'max_steps', steps: 2 },
    ]);
    const told = world.model.requests.map(({ system, tools, model }) => ({ system, tools, model }));
    for (const request of told) expect(request).toEqual(told[0]);
  });

  test('A21: approvers are a rule, too', async () => {
    const pay = tool('pay', () => 'paid', { effect: 'once', approval: undefined });
    const world = await sessionWorld(
      { tools: [pay], approvals: 'by_tool' },
      scriptedModel(calls(['pay', {}]), says('paid'), calls(['pay', {}])),
    );
    const deployed = { tools: [pay], approvals: { effects: ['once' as const] } };
    await world.say('a');
    world.deploy({ tools: [pay], approvals: { effects: [] } });
    await world.settle();
    world.deploy(deployed);
    await world.say('b');
    await world.settle();
    expect((await world.view()).session).toMatchObject({ state: 'waiting_for_input' });
  });

  test('A21: rules are stored when they have changed, and cost no run anything otherwise', async () => {
    const world = await sessionWorld({}, scriptedModel(says('1'), says('2'), says('3'), says('4')));
    const puts: number[] = [];
    const definitions = new Set<string>();
    for (const text of ['a', 'b', 'c', 'd']) {
      if (text === 'c') world.deploy({ version: '2', limits: { maxSteps: 7 } });
      await world.say(text);
      await world.settle();
      puts.push(world.faults.count('sessions.putDefinition'));
      definitions.add((await world.view()).session.definition);
    }
    expect([puts, definitions.size]).toEqual([[0, 0, 1, 1], 2]);
  });

  test('A21: a first step that died starts again under the definition that is deployed by then', async () => {
    const world = await sessionWorld({}, scriptedModel(says('one'), says('two')));
    await world.say('a');
    await world.settle();
    world.deploy({ limits: { maxSteps: 3 } });
    await world.say('b');
    world.faults.at('sessions.commit', killBefore);
    await world.step();
    world.deploy({ limits: { maxSteps: 4 } });
    await world.settle();
    const { session } = await world.view();
    expect(endings(await world.events())).toHaveLength(2);
    expect(await world.sessions.definition('acme', session.definition)).toMatchObject({
      limits: { maxSteps: 4 },
    });
  });
});

describe('A21: custom guards', () => {
  const few = (most: number, version?: string, name = 'few') =>
    defineGuard<{ used: number }, { most: number }>({
      name,
      ...(version && { version }),
      settings: { most },
      scope: 'run',
      initial: { used: 0 },
      hooks: {
        call: ({ used }, _seen, settings) =>
          used >= settings.most
            ? { verdict: { kind: 'block', code: 'enough', message: `At most ${settings.most}.` } }
            : { state: { used: used + 1 } },
      },
    });
  /** Four calls in two runs, with a deploy after the first call. */
  async function outcomes(first: readonly AnyGuard[], later: readonly AnyGuard[]) {
    const asks = () => [calls(['get', {}]), calls(['get', { n: 1 }]), calls(['get', { n: 2 }]), says('ok')];
    const world = await sessionWorld(
      { tools: [get], guards: [...first] },
      scriptedModel(...asks(), ...asks()),
    );
    await world.say('a');
    await world.step();
    world.deploy({ tools: [get], guards: [...later] });
    await world.settle();
    await world.say('b');
    await world.settle();
    return resultsOf(await world.slots())
      .map(({ outcome }) => (outcome === 'ok' ? '+' : '-'))
      .join('')
      .replace(/^(.{3})/, '$1 ');
  }

  test.each([
    { what: 'its limits stay to the end of the run', first: [few(1)], later: [few(9)], are: '+-- +++' },
    { what: 'also if they are lowered', first: [few(9)], later: [few(1)], are: '+++ +--' },
    { what: 'another version is reset, at once', first: [few(1)], later: [few(1, '2')], are: '++- +--' },
    { what: 'a new one waits for the next run', first: [], later: [few(0)], are: '+++ ---' },
    { what: 'a removed one is gone', first: [few(1)], later: [], are: '+++ +++' },
    { what: 'each by its name', first: [few(1)], later: [few(9), few(0, '1', 'none')], are: '+-- ---' },
  ])('A21: a deploy during a run: $what', async ({ first, later, are }) => {
    expect(await outcomes(first, later)).toBe(are);
  });
});
