import { expect, test } from 'vitest';
import { settleDecision } from '../../../functions/routes/decisions.ts';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { outcomesOf } from '../../../shared/agent/events/wait-outcomes.ts';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { notedTool } from './reading.fixture.ts';

/** The ports that the edge decides with. */
const deciding = (world: SessionWorld) => ({
  io: world,
  agents: [world.agentOf('test')].flatMap((one) => one ?? []),
});

async function asking() {
  const pay = notedTool('pay', 'once');
  const call = { id: 'c1', name: 'pay', input: { to: 'bob' } };
  const asks = reply({ stop: 'tool_use', content: [{ type: 'tool_use', ...call }], calls: [call] });
  const world = await sessionWorld(
    { tools: [{ ...pay.tool, approval: 'always' }] },
    scriptedModel(asks, says('Done.')),
  );
  await world.say('Pay bob');
  await world.settle();
  const [id = ''] = (await world.view()).fence.pending;
  return { world, pay, id };
}

test('the outcome of a wait is known while it is open, and after its batch was closed', async () => {
  const { world, id } = await asking();
  expect(await outcomesOf(world.key, [id], world)).toEqual({});
  const ann = { subject: 'user:ann', kind: 'jwt' } as const;
  expect(await settleDecision(world.key, { id, approved: true }, ann, deciding(world))).toBe('decided');
  const approved = { [id]: { outcome: 'approved', by: 'user:ann' } };
  const at = world.clock.now();
  expect(await outcomesOf(world.key, [id, 'made-up'], world)).toEqual({ [id]: { ...approved[id], at } });
  await world.settle();
  expect((await world.view()).session.batch).toBeUndefined();
  expect(await outcomesOf(world.key, [id, 'made-up'], world)).toEqual(approved);
});

test('19: a repeated decision is confirmed, and a second one gets the decision that stands', async () => {
  const { world, pay, id } = await asking();
  const by = (subject: string, approved = true) =>
    settleDecision(world.key, { id, approved }, { subject, kind: 'jwt' }, deciding(world));
  expect(await by('user:ann')).toBe('decided');
  const at = new Date(world.clock.now()).toISOString();
  const stands = { outcome: 'approved', by: 'user:ann' };
  const second = (decision: object) => ({
    problem: { status: 409, title: 'Already decided', decision, detail: expect.stringContaining('user:ann') },
  });

  expect(await by('user:ann')).toBe('already_decided');
  await expect(by('user:bob')).rejects.toMatchObject(second({ ...stands, at }));
  await expect(by('user:bob', false)).rejects.toMatchObject(second({ ...stands, at }));
  await expect(by('user:ann', false)).rejects.toMatchObject(second({ ...stands, at }));

  await world.settle();
  expect(await by('user:ann')).toBe('already_decided');
  await expect(by('user:bob')).rejects.toMatchObject(second(stands));
  await expect(by('user:ann', false)).rejects.toMatchObject(second(stands));
  expect(pay.keys).toHaveLength(1);
});

test('a session that a step owns for too long is busy, and the answer says when to come back', async () => {
  const { world, id } = await asking();
  const io = { ...world, sessions: { ...world.sessions, decide: async () => 'busy' as const } };
  const settled = settleDecision(
    world.key,
    { id, approved: true },
    { subject: 'user:ann', kind: 'jwt' },
    { ...deciding(world), io },
  );
  const refusal = expect(settled).rejects.toMatchObject({
    problem: { status: 503 },
    headers: { 'retry-after': '2' },
  });
  for (let n = 0; n < 10; n++) await world.clock.advance(2_000);
  await refusal;
  const none = settleDecision(
    { tenant: 'globex', sessionId: world.key.sessionId },
    { id, approved: true },
    { subject: 'x', kind: 'jwt' },
    deciding(world),
  );
  await expect(none).rejects.toMatchObject({ problem: { status: 404, title: 'No such session' } });
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
  'a wait that is called %s is none: a built-in property is no decision',
  async (name) => {
    const { world, pay } = await asking();
    expect(await decide(world.key, name, { approved: true, by: 'user:ann' }, world)).toBe('closed');
    expect(await outcomesOf(world.key, [name], world)).toEqual({});
    await expect(
      settleDecision(
        world.key,
        { id: name, approved: true },
        { subject: 'user:ann', kind: 'jwt' },
        deciding(world),
      ),
    ).rejects.toMatchObject({ problem: { status: 404, title: 'No such session' } });
    expect(pay.keys).toEqual([]);
  },
);
