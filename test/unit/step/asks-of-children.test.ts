import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { decideAs } from '../../../functions/middleware/decide.ts';
import { type Agent, defineAgent } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { outcomesOf } from '../../../shared/agent/events/wait-outcomes.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { type AgentWorld, agentWorld } from '../../../testing/agent-world.ts';
import {
  type Fault,
  failAfter,
  failBefore,
  justBefore,
  killAfter,
  killBefore,
} from '../../../testing/faults.ts';
import { answeringModel, calls, type Scripted, says } from '../../../testing/scripted-model.ts';
import { resultsOf } from './reading.fixture.ts';

const base = { version: '1', model: { name: 'm', price: { input: 1, output: 5 } } } as const;
const wire = defineTool({
  name: 'wire',
  description: 'Sends money.',
  input: z.object({ cents: z.int() }),
  effect: 'once',
  approval: 'always',
  run: ({ cents }) => `sent ${cents}`,
});
const clerk = defineAgent({
  ...base,
  name: 'clerk',
  system: 'Level 2.',
  tools: [wire, askUser],
  approvals: { expireAfterSeconds: 3_600 },
});
const lead = defineAgent({
  ...base,
  name: 'lead',
  system: 'Level 1.',
  agents: { clerk: { agent: clerk, when: 'To pay.' } },
});
const root = (asked: Agent = lead) =>
  defineAgent({
    ...base,
    name: 'root',
    system: 'Level 0.',
    agents: { helper: { agent: asked, when: 'For work.', expiresAfterSeconds: 86_400 } },
  });

const last = ({ messages }: ModelRequest) => JSON.stringify(messages.at(-1));
/** Each level asks the next one, and the last one does this. */
const tree = (does: Outcome, asked?: Agent) =>
  agentWorld(
    root(asked),
    answeringModel(({ request }) => {
      if (last(request).includes('tool_result')) return says(`Done: ${/sent \d+|Blue/.exec(last(request))}.`);
      const system = JSON.stringify(request);
      if (system.includes('Level 2.')) return does;
      return system.includes('Level 1.')
        ? calls(['clerk', { task: 'Pay.' }])
        : calls(['helper', { task: 'Pay.' }]);
    }),
  );
type Outcome = Exclude<Scripted, (...args: never[]) => unknown>;
const pays: Outcome = calls(['wire', { cents: 7 }]);
const asksColour = calls(['ask_user', { question: 'Which colour?' }]);

const ada: Identity = { kind: 'jwt', tenant: 'default', subject: 'user:ada', roles: [] } as never;
const asked = async (world: AgentWorld) => (await world.view()).session.batch?.asks ?? [];
const contextOf = (world: AgentWorld) => ({
  io: world,
  agents: ['root', 'lead', 'clerk'].flatMap((name) => world.agentOf(name) ?? []),
});
const decideAtRoot = (world: AgentWorld, id: string, approved = true, note?: string) =>
  decideAs(ada, world.key, { id, approved, ...(note !== undefined && { note }) }, contextOf(world));
const decidedIn = async (world: AgentWorld) =>
  (await world.events()).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.decided' ? [event.value] : [],
  );
const interruptsIn = async (world: AgentWorld) =>
  (await world.events()).flatMap((event) =>
    event.type === 'RUN_FINISHED' && event.outcome.type === 'interrupt' ? [event.outcome.interrupts] : [],
  );

describe('what a session below asks', () => {
  test('is asked where the root was asked, and decided there', async () => {
    const world = tree(pays);
    await world.say('Pay the bill.', undefined, 'user:ada');
    await world.settle();
    const { session } = await world.view();
    expect(session).toMatchObject({ state: 'waiting_for_input', reason: 'awaiting_approval' });
    const [ask] = await asked(world);
    expect(ask).toMatchObject({ kind: 'approval', tool: 'wire', agent: 'clerk' });
    expect(ask?.message).toMatch(/^clerk asks:\n[\s\S]*wire/);
    const call = session.batch?.waits[0];
    expect(call).toMatchObject({ kind: 'child' });
    expect((await interruptsIn(world)).at(-1)).toMatchObject([
      { reason: 'child', toolCallId: call?.callId },
      { id: ask?.id, reason: 'approval', toolCallId: call?.callId, metadata: { grantable: true } },
    ]);

    expect(await decideAtRoot(world, ask?.id ?? '')).toMatchObject({ kind: 'decided' });
    expect(await decideAtRoot(world, ask?.id ?? '')).toMatchObject({ kind: 'already_decided' });
    await world.settle();
    expect((await world.view()).session.state).toBe('completed');
    expect(resultsOf(await world.slots())).toMatchObject([{ outcome: 'ok' }]);
    const told = await decidedIn(world);
    expect(told.filter(({ id }) => id === ask?.id)).toMatchObject([
      { toolCallId: call?.callId, outcome: 'approved', by: 'user:ada' },
    ]);
    expect(await outcomesOf(world.key, [ask?.id ?? ''], world)).toMatchObject({
      [ask?.id ?? '']: { outcome: 'approved', by: 'user:ada' },
    });
  });

  test('waits for people in every session between, and in no longer once it is decided', async () => {
    const world = tree(pays);
    await world.say('Pay.');
    await world.settle();
    const between = () =>
      [...world.table.heads.values()].map(({ session: { agent, state, batch } }) => [
        agent,
        state,
        batch?.asks?.length,
      ]);
    expect(between()).toEqual([
      ['root', 'waiting_for_input', 1],
      ['lead', 'waiting_for_input', 1],
      ['clerk', 'waiting_for_input', undefined],
    ]);
    const [ask] = await asked(world);
    await decideAtRoot(world, ask?.id ?? '', false, 'Too much.');
    // Only the root looks again before the sessions below it go on.
    await world.step({ messageId: world.queue.messages().at(-1)?.messageId });
    expect((await world.view()).session).toMatchObject({
      state: 'waiting_for_tool',
      reason: 'awaiting_child',
    });
    expect(await asked(world)).toEqual([]);
  });

  test('is a question that a later message answers, and an earlier one does not', async () => {
    const world = tree(asksColour);
    await world.say('Paint it.', undefined, 'user:ada');
    await world.step();
    await world.say('By Friday.', undefined, 'user:ada');
    await world.settle();
    expect(await asked(world)).toMatchObject([{ kind: 'question' }]);
    await world.clock.advance(5_000);
    await world.say('Blue', undefined, 'user:ada');
    await world.settle();
    expect((await world.view()).session.state).toBe('completed');
    expect(resultsOf(await world.slots())[0]?.content).toBe('Done: Blue.');
    expect(JSON.stringify(await world.slots())).toContain('By Friday.');
  });

  test('makes those who answer it requesters of every run above, so that they approve nothing as another person', async () => {
    const world = tree(asksColour);
    await world.say('Paint it.', undefined, 'user:ada');
    await world.settle();
    await world.clock.advance(1_000);
    await world.say('Blue', undefined, 'user:bob');
    await world.settle();
    const people = [...world.table.heads.values()].map(({ session }) => session.run?.requesters);
    for (const requesters of people) expect(requesters).toEqual(['user:ada', 'user:bob']);
  });

  test('is answered by those alone whom its agent names', async () => {
    const strict = defineAgent({
      ...base,
      name: 'lead',
      system: 'Level 2.',
      tools: [askUser],
      approvals: { answerers: ['user:bob'] },
    });
    const world = tree(asksColour, strict);
    await world.say('Paint it.', undefined, 'user:ada');
    await world.settle();
    const [ask] = await asked(world);
    await world.clock.advance(1_000);
    await world.say('Blue', undefined, 'user:ada');
    await world.settle();
    expect(await asked(world)).toHaveLength(1);
    expect(await decideAtRoot(world, ask?.id ?? '', true, 'Blue')).toMatchObject({ kind: 'forbidden' });
    await world.say('Blue', undefined, 'user:bob');
    await world.settle();
    expect((await world.view()).session.state).toBe('completed');
  });

  test('is no longer asked when it has expired, or its run is over', async () => {
    const world = tree(pays);
    await world.say('Pay.');
    await world.settle();
    const [ask] = await asked(world);
    await world.clock.advance(3_600_000);
    await world.queue.send({ ...world.key, sessionId: ask?.child ?? '' });
    await world.settle();
    expect((await decidedIn(world)).filter(({ id }) => id === ask?.id)).toMatchObject([
      { outcome: 'expired' },
    ]);
    expect((await world.view()).session.state).toBe('completed');

    const stopped = tree(pays);
    await stopped.say('Pay.');
    await stopped.settle();
    const [open] = await asked(stopped);
    await cancel(stopped.key, stopped);
    await stopped.settle();
    expect((await stopped.view()).session).toMatchObject({ state: 'cancelled' });
    expect(await asked(stopped)).toEqual([]);
    expect(await decideAtRoot(stopped, open?.id ?? '')).toMatchObject({ kind: 'closed' });
    expect((await decidedIn(stopped)).filter(({ id }) => id === open?.id)).toMatchObject([
      { outcome: 'cancelled' },
    ]);
  });
});

describe('a worker that dies, or reaches no service, anywhere', () => {
  test('has its successor tell the root of a request that it stored before it died', async () => {
    const world = tree(pays);
    await world.say('Pay.', undefined, 'user:ada');
    const lead = () =>
      [...world.table.heads.values()].find(({ session }) => session.agent === 'lead')?.session.key;
    // The commits before: root and lead wait for their children, clerk waits for people.
    const another = justBefore(async () => world.sessions.knock(lead() ?? world.key, world.clock.now()));
    world.faults.at('sessions.commit', another, 4);
    world.faults.at('sessions.commit', killAfter, 5);
    await world.settle();
    expect(await asked(world)).toMatchObject([{ kind: 'approval', tool: 'wire' }]);
  });

  const faults: Record<string, Fault> = { killBefore, killAfter, failBefore, failAfter };
  test.each(Object.keys(faults))('hides no request from the root: %s', { timeout: 120_000 }, async (name) => {
    const fault = faults[name] as Fault;
    const play = async (nth?: number) => {
      const world = tree(pays, clerk);
      await world.say('Pay.', undefined, 'user:ada');
      if (nth !== undefined) world.faults.atAny(fault, nth);
      await world.settle();
      const [ask] = await asked(world);
      expect([nth, ask?.kind]).toEqual([nth, 'approval']);
      await decideAtRoot(world, ask?.id ?? '');
      await world.settle();
      expect([nth, (await world.view()).session.state]).toEqual([nth, 'completed']);
      return world.faults.total();
    };
    const all = await play();
    for (let nth = 1; nth <= all; nth++) await play(nth);
  });
});
