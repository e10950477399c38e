import { expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { race } from '../../../shared/agent/define/shapes.ts';
import { type AgentWorld, agentWorld } from '../../../testing/agent-world.ts';
import { type Fault, failAfter, failBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { answeringModel, calls, says } from '../../../testing/scripted-model.ts';
import { resultsOf } from '../step/reading.fixture.ts';

const runner = (name: string) =>
  defineAgent({ name, version: '1', model: { name: 'm' }, system: `You are ${name}.`, tools: [askUser] });

/** A race in which the second agent answers, and the others wait for people. */
const worldOf = () =>
  agentWorld(
    race({ name: 'first', agents: [runner('one'), runner('two'), runner('three')] }),
    answeringModel(({ request }) =>
      request.system.includes('two') ? says('Won.') : calls(['ask_user', { question: 'Which?' }]),
    ),
  );

const childrenOf = (world: AgentWorld) =>
  [...world.table.heads.values()].flatMap(({ session }) => (session.parent ? [session] : []));

const faults: Record<string, Fault> = { killBefore, killAfter, failBefore, failAfter };

test.each(Object.keys(faults))(
  'a race has its winner at once, and leaves no other alive, wherever a worker dies: %s',
  { timeout: 60_000 },
  async (name) => {
    const count = async () => {
      const world = worldOf();
      await world.say('Go.');
      await world.settle();
      return world.faults.total();
    };
    for (let nth = 1, all = await count(); nth <= all; nth++) {
      const world = worldOf();
      const began = world.clock.now();
      await world.say('Go.');
      world.faults.atAny(faults[name] as Fault, nth);
      await world.settle();
      const { session } = await world.view();
      expect([nth, session.state]).toEqual([nth, 'completed']);
      // Questions and answers are waited for during a day.
      expect([nth, world.clock.now() - began < 3_600_000]).toEqual([nth, true]);
      const [slot] = (await world.slots()).toReversed();
      expect([nth, slot?.kind === 'model' && slot.reply?.content[0]?.text]).toEqual([nth, 'Won.']);
      expect([nth, resultsOf(await world.slots()).map(({ outcome }) => outcome)]).toEqual([
        nth,
        ['unknown', 'ok', 'unknown'],
      ]);
      // A worker that dies may leave a session in which nothing has begun (docs/adr/0039-children.md).
      const states = childrenOf(world).flatMap(({ run, state }) => (run ? [state] : []));
      expect([nth, states.filter((state) => state === 'completed').length]).toEqual([nth, 1]);
      expect([nth, states.every((state) => state === 'completed' || state === 'cancelled')]).toEqual([
        nth,
        true,
      ]);
    }
  },
);

test('clients are told which agent has answered, and that the others are not needed', async () => {
  const world = worldOf();
  await world.say('Go.');
  await world.settle();
  const decided = (await world.events()).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.decided' ? [event.value.outcome] : [],
  );
  expect(decided).toEqual(['cancelled', 'answered', 'cancelled']);
});

test('an answer that came while its first owner was dead ends the race before the others begin', async () => {
  const world = worldOf();
  await world.say('Go.');
  // It has begun all three, and is killed when it commits.
  world.faults.at('sessions.commit', killBefore);
  await world.step();
  expect(childrenOf(world)).toHaveLength(3);
  for (let n = 0; n < 3; n++) await world.step();
  expect(childrenOf(world).filter(({ state }) => state === 'completed')).toHaveLength(1);
  await world.settle();
  expect((await world.view()).session.state).toBe('completed');
  expect(childrenOf(world).map(({ state }) => state)).toEqual(['cancelled', 'completed', 'cancelled']);
});
