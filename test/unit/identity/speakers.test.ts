import { describe, expect, test } from 'vitest';
import { decideAs } from '../../../functions/middleware/decide.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import type { Decider } from '../../../shared/agent/define/may-decide.ts';
import { definePolicy } from '../../../shared/agent/define/policy.ts';
import { askOf } from '../../../shared/agent/entrypoints/accept.ts';
import { saidBeside } from '../../../shared/agent/entrypoints/edit.ts';
import { retryRun } from '../../../shared/agent/entrypoints/retry.ts';
import { callerFacts, callersOf } from '../../../shared/agent/session/caller.ts';
import type { Run } from '../../../shared/agent/session/session.ts';
import { speakersIn, speakersOf } from '../../../shared/agent/session/speakers.ts';
import type { Wait } from '../../../shared/agent/session/waits.ts';
import { calls, reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { notedTool } from '../step/reading.fixture.ts';

/** Every door by which words reach a run makes the speaker a requester of it. */

const jwt = (...roles: string[]) => callerFacts({ kind: 'jwt', roles }, 'http');
const bob = { subject: 'user:bob', kind: 'jwt', roles: ['finance'] } as const satisfies Decider;
/** An operator may answer in every session. */
const intern = {
  subject: 'user:intern',
  kind: 'jwt',
  roles: ['intern', 'steploop-operator'],
} as const satisfies Decider;
const operator = { subject: 'operator', kind: 'token' } as const satisfies Decider;

const agentsOf = (world: SessionWorld) => [world.agentOf('test')].flatMap((one) => one ?? []);
const decided = (
  world: SessionWorld,
  by: Decider,
  decision: Omit<Parameters<typeof decideAs>[2], 'id'>,
  id: string,
) => decideAs(by, world.key, { id, ...decision }, { io: world, agents: agentsOf(world) });
const pendingIn = async (world: SessionWorld) => (await world.view()).fence.pending[0] ?? '';
const runIn = async (world: SessionWorld) => (await world.view()).session.run as Run;
const subjectsIn = async (world: SessionWorld) => (await runIn(world)).requesters ?? [];
const say = async (world: SessionWorld, text: string, by: Decider) => {
  await world.say(text, undefined, by.subject, jwt(...(by.roles ?? [])));
  await world.settle();
};

describe('an answer to a question', () => {
  async function answered(rule: Parameters<typeof sessionWorld>[0] = {}) {
    const pay = notedTool('pay', 'once');
    const { approval: _, ...tool } = pay.tool;
    const world = await sessionWorld(
      { tools: [askUser, tool], ...rule },
      scriptedModel(calls(['ask_user', { question: 'Whom do I pay?' }]), calls(['pay', {}]), says('Done.')),
    );
    await say(world, 'Pay the bill.', bob);
    expect(await decided(world, intern, { approved: true, note: 'Pay FIN' }, await pendingIn(world))).toEqual(
      {
        kind: 'decided',
      },
    );
    await world.settle();
    return { world, pay };
  }

  test('makes the person a requester, with the roles that they have', async () => {
    const { world } = await answered();
    expect(await subjectsIn(world)).toEqual(['user:bob', 'user:intern']);
    const { requesters, user } = callersOf('acme', await runIn(world));
    expect(requesters.map(({ subject, roles }) => [subject, roles])).toEqual([
      ['user:bob', ['finance']],
      ['user:intern', intern.roles],
    ]);
    expect(user).toBeUndefined();
  });

  test('of a stranger of the tenant is refused as if there were no such session', async () => {
    const world = await sessionWorld(
      { tools: [askUser] },
      scriptedModel(calls(['ask_user', { question: 'Whom?' }]), says('Done.')),
    );
    await say(world, 'Pay the bill.', bob);
    const eve = { subject: 'user:eve', kind: 'jwt' } as const;
    const wait = await pendingIn(world);
    expect(await decided(world, eve, { approved: true, note: 'Eve' }, wait)).toEqual({ kind: 'unknown' });
    expect((await world.view()).fence.pending).toEqual([wait]);
  });

  test('under four eyes that person does not approve the call that comes of it', async () => {
    const { world } = await answered({ approvals: { requesterMayDecide: false, effects: ['once'] } });
    const wait = await pendingIn(world);
    expect(await decided(world, intern, { approved: true }, wait)).toMatchObject({ kind: 'forbidden' });
  });

  test('a call that the role of that person forbids is not made', async () => {
    const noPayments = definePolicy({
      name: 'no-payments',
      rules: [{ name: 'none', decision: 'forbid', tools: ['pay'] }],
    });
    const { world, pay } = await answered({ policyBy: { role: { intern: noPayments } } });
    expect(pay.keys).toHaveLength(0);
    expect((await world.view()).session.state).toBe('completed');
  });
});

describe('a decision on a call', () => {
  async function refused(decision: { approved: boolean; note?: string }) {
    const pay = notedTool('pay', 'once');
    const world = await sessionWorld(
      { tools: [{ ...pay.tool, approval: 'always' }] },
      scriptedModel(calls(['pay', {}]), calls(['pay', { again: true }]), says('Done.')),
    );
    await say(world, 'Pay.', bob);
    await decided(world, intern, decision, await pendingIn(world));
    await world.settle();
    return subjectsIn(world);
  }

  test('with a note that says why not makes the person a requester: the model reads it', async () => {
    expect(await refused({ approved: false, note: 'Pay FIN instead.' })).toEqual(['user:bob', 'user:intern']);
  });

  test.each([
    ['an approval', { approved: true }],
    ['an approval whose note no model reads', { approved: true, note: 'Fine.' }],
    ['a refusal without a word', { approved: false }],
  ])('%s makes the person no requester', async (_what, decision) => {
    expect(await refused(decision)).toEqual(['user:bob']);
  });

  test('the note on a plan is read, however it is decided', () => {
    const wait = { id: 'w', kind: 'plan' } as Wait;
    const decision = { approved: true, by: 'user:intern', at: 0, note: 'And more.' };
    expect(speakersIn({ waits: [wait] }, { w: decision })).toEqual([{ by: 'user:intern' }]);
    expect(speakersIn({ waits: [wait] }, {})).toEqual([]);
  });
});

test('a retry goes on with the words of the people before, under their rights too', async () => {
  const failing = reply({ stop: 'refusal', content: [] });
  const world = await sessionWorld({}, scriptedModel(failing, says('Done.')));
  await say(world, 'Wire it.', intern);
  expect((await world.view()).session.state).toBe('error');
  const asked = { eventId: 'again', by: operator.subject, caller: callerFacts(operator, 'http') };
  expect(await retryRun(world.key, asked, world)).toBe('accepted');
  await world.settle();
  const run = await runIn(world);
  expect(run.requesters).toEqual(['user:intern', 'operator']);
  expect(callersOf('acme', run).requesters.map(({ subject, roles }) => [subject, roles])).toEqual([
    ['user:intern', intern.roles],
    ['operator', []],
  ]);
});

test('a request to wrap up makes the person a requester', async () => {
  const pay = notedTool('pay', 'once');
  const world = await sessionWorld(
    { tools: [{ ...pay.tool, approval: 'always' }] },
    scriptedModel(calls(['pay', {}]), says('{"findings":[]}')),
  );
  await say(world, 'Pay.', bob);
  const asker = { by: intern.subject, caller: jwt('intern') };
  expect(await askOf(world.key, 'wrap_up', 'w1', world, asker)).toBe('accepted');
  await decided(world, operator, { approved: true }, await pendingIn(world));
  await world.settle();
  expect(await subjectsIn(world)).toEqual(['user:bob', 'user:intern']);
});

describe('an edit', () => {
  const said = (n: number) => ({
    text: `t${n}`,
    said: { at: 0, local: '', zone: 'UTC', by: { subject: `user:${n}` } },
  });
  const run = { id: 'r1', requesters: ['user:0', 'user:1'] } as unknown as Run;

  test('of one message carries no other words', () => {
    const one = { runId: 'r1', slot: 0, together: [said(0)], index: 0 };
    expect(saidBeside({ run }, one)).toEqual([]);
  });

  test('says the messages beside it again as those of the run’s own people', () => {
    const two = { runId: 'r1', slot: 0, together: [said(0), said(1)], index: 0 };
    expect(saidBeside({ run }, two)).toEqual([{ by: 'user:0' }, { by: 'user:1' }]);
  });

  test('of an older run is under the rules for unknown people', () => {
    const old = { runId: 'r0', slot: 0, together: [said(0), said(1)], index: 0 };
    expect(saidBeside({ run }, old)).toEqual([{ by: 'user:1' }, {}]);
  });
});

test('the speakers of a run are those whom it has heard; unknown ones stay unknown', () => {
  const callers = [{ subject: 'user:a', ...jwt('x') }];
  expect(speakersOf({ requesters: ['user:a', 'user:b'], callers })).toEqual([
    { by: 'user:a', caller: jwt('x') },
    { by: 'user:b' },
  ]);
  expect(speakersOf({ requesters: ['user:a'], callers, strangers: true })).toEqual([
    { by: 'user:a', caller: jwt('x') },
    {},
  ]);
  expect(speakersOf({})).toEqual([{}]);
});
