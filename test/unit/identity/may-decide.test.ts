import { describe, expect, test } from 'vitest';
import { decideAs } from '../../../functions/middleware/decide.ts';
import { postDecision } from '../../../functions/routes/decisions.ts';
import { type AgentDefinition, defineAgent } from '../../../shared/agent/define/agent.ts';
import { type Decider, whyMayNotDecide } from '../../../shared/agent/define/may-decide.ts';
import { withRequesters } from '../../../shared/agent/session/requesters.ts';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { notedTool } from '../step/reading.fixture.ts';

const ada: Decider = { subject: 'user:ada', kind: 'jwt', roles: ['finance'] };
const bob: Decider = { subject: 'user:bob', kind: 'jwt' };
const operator: Decider = { subject: 'operator', kind: 'token' };
const robot: Decider = { subject: 'key:acme.0', kind: 'key' };
const clerk: Decider = { ...robot, scopes: ['decide'] };
const place = { team: 'T1', channel: 'C1', user: 'U1', userTeam: 'T1', external: false };
const cleo: Decider = { subject: 'slack:T1:U1', kind: 'slack', slack: place };

const stranger = (user: string, userTeam: string): Decider => ({
  subject: `slack:${userTeam}:${user}`,
  kind: 'slack',
  slack: { ...place, user, userTeam, external: true, shared: true },
});
/** From another organisation. */
const mira = stranger('U2', 'T2');

type Rule = Pick<AgentDefinition, 'approvals' | 'mayDecide'>;

describe('who may approve', () => {
  const why = (
    by: Decider,
    rule: Rule | undefined,
    kind: 'approval' | 'question' = 'approval',
    user?: string,
  ) =>
    whyMayNotDecide(
      by,
      { kind, tool: 'pay' },
      {
        key: { tenant: 'acme', sessionId: 's1' },
        agent: 'support',
        user,
        run: { requesters: ['user:bob', 'key:acme.0', 'slack:T1:U1', 'operator'] } as never,
      },
      rule && defineAgent({ name: 'support', version: '1', model: { name: 'm' }, system: 's', ...rule }),
    );

  test.each<[string, Rule, Decider, RegExp | undefined]>([
    ['a person', {}, bob, undefined],
    ['a user in Slack', {}, cleo, undefined],
    ['the deployment’s token', {}, operator, undefined],
    ['an API key', {}, robot, /minted without the scope "decide"/],
    ['an API key that was minted for it', {}, clerk, undefined],
    ['by role: a user with it', { approvals: { deciders: ['role:finance'] } }, ada, undefined],
    [
      'by role: a user without it',
      { approvals: { deciders: ['role:finance'] } },
      bob,
      /decided by: role:finance/,
    ],
    [
      'by role: the deployment’s token',
      { approvals: { deciders: ['role:finance'] } },
      operator,
      /role:finance/,
    ],
    ['by role: Slack knows none', { approvals: { deciders: ['role:finance'] } }, cleo, /role:finance/],
    ['by name', { approvals: { deciders: ['slack:T1:U1', 'user:x'] } }, cleo, undefined],
    [
      'by name: a role of that name',
      { approvals: { deciders: ['user:ada'] } },
      { ...bob, roles: ['user:ada'] },
      /user:ada/,
    ],
    ['a user of another organisation', {}, mira, /People of other organisations may not decide/],
    ['of another organisation: by name', { approvals: { deciders: ['slack:T2:U2'] } }, mira, undefined],
    [
      'of another organisation: a name with the id of one of ours',
      { approvals: { deciders: ['slack:T1:U2', 'slack:T1:U1'] } },
      mira,
      /other organisations/,
    ],
    [
      'of another organisation, with the id of a named user of ours',
      { approvals: { deciders: ['slack:T1:U1'], externalsMayDecide: true } },
      stranger('U1', 'T2'),
      /decided by: slack:T1:U1/,
    ],
    ['of another organisation, if all may', { approvals: { externalsMayDecide: true } }, mira, undefined],
    [
      'of another organisation, if a rule names it',
      {
        approvals: { externalsMayDecide: true },
        mayDecide: ({ by: { slack } }) => slack?.external !== true || slack.userTeam === 'T3',
      },
      mira,
      /mayDecide/,
    ],
    ['a custom rule lets no user in', { mayDecide: () => true }, mira, /other organisations/],
    [
      'four eyes: the requester, under the other name of their organisation',
      { approvals: { requesterMayDecide: false, externalsMayDecide: true } },
      stranger('U1', 'E2'),
      /Another person/,
    ],
    ['by name: a key still needs its scope', { approvals: { deciders: ['key:acme.0'] } }, robot, /scope/],
    [
      'four eyes: the requester',
      { approvals: { requesterMayDecide: false } },
      bob,
      /Another person must decide/,
    ],
    [
      'four eyes: a key as the requester',
      { approvals: { requesterMayDecide: false } },
      clerk,
      /Another person/,
    ],
    [
      'four eyes: a user who clicked for themselves',
      { approvals: { requesterMayDecide: false } },
      cleo,
      /Another person/,
    ],
    ['four eyes: the operator', { approvals: { requesterMayDecide: false } }, operator, /Another person/],
    ['four eyes: another user', { approvals: { requesterMayDecide: false } }, ada, undefined],
    ['a custom rule that allows', { mayDecide: () => true }, bob, undefined],
    ['a custom rule that denies', { mayDecide: () => false }, bob, /mayDecide/],
    [
      'a custom rule that throws',
      {
        mayDecide: () => {
          throw new Error('x');
        },
      },
      bob,
      /mayDecide/,
    ],
    ['a custom rule that returns another value', { mayDecide: () => 'yes' as never }, bob, /mayDecide/],
    ['a custom rule cannot let a key in', { mayDecide: () => true }, robot, /scope/],
    ['a custom rule on a channel', { mayDecide: ({ by }) => by.slack?.channel === 'C1' }, cleo, undefined],
    [
      'a custom rule on the requesters',
      { mayDecide: ({ by, requesters }) => !requesters.includes(by.subject) },
      cleo,
      /mayDecide/,
    ],
  ])('%s', (_name, rule, by, refused) => {
    if (refused) expect(why(by, rule)).toMatch(refused);
    else expect(why(by, rule)).toBeUndefined();
  });

  test('no user may for an agent that is not deployed', () => {
    expect(why(ada, undefined)).toMatch(/no longer deployed/);
  });

  test('a question may be answered by everyone who takes part in the session, since a message answers it too', () => {
    const strict: Rule = {
      approvals: { deciders: ['user:x'], requesterMayDecide: false },
      mayDecide: () => false,
    };
    const lead: Decider = { subject: 'user:lead', kind: 'jwt', roles: ['steploop-operator'] };
    for (const by of [ada, bob, robot, cleo, operator, lead])
      expect(why(by, strict, 'question', 'user:ada')).toBeUndefined();
  });

  test('a question is not answered by a stranger of the tenant', () => {
    expect(why(ada, {}, 'question', 'user:eve')).toMatch(/take part in the session/);
    expect(why(ada, {}, 'question')).toMatch(/take part in the session/);
  });

  test.each(['ada', 'user:', 'team:x', ''])('%j names no approver, and is refused', (name) => {
    expect(() =>
      defineAgent({
        name: 'a',
        version: '1',
        model: { name: 'm' },
        system: 's',
        approvals: { deciders: [name] },
      }),
    ).toThrow(/deciders/);
  });

  test('too many requesters to be stored count as everyone', () => {
    const many = Array.from({ length: 101 }, (_, i) => `user:${i}`);
    expect(withRequesters([], many.slice(0, 100))).toHaveLength(100);
    expect(withRequesters(many.slice(0, 100), many)).toEqual(['*']);
    expect(withRequesters(['*'], ['user:x'])).toEqual(['*']);
  });
});

describe('a plan', () => {
  test.each<[string, number[] | true | false, string]>([
    ['the part that they may', [1], 'decided'],
    ['a part that they may not', [2], 'forbidden'],
    ['all of it', true, 'forbidden'],
    ['nothing, if it has a part that they may not decide', false, 'forbidden'],
    ['a change that it does not have', [3], 'no_change'],
  ])('is decided by the users whom the rule lets decide on each tool: %s', async (_what, approved, kind) => {
    const call = (id: string, name: string) => ({ id, name, input: { id } });
    const calls = [call('c1', 'note'), call('c2', 'pay')];
    const content = calls.map((one) => ({ type: 'tool_use', ...one }));
    const model = scriptedModel(reply({ stop: 'tool_use', content, calls }), says('My plan.'), says('Done.'));
    const tools = [notedTool('note', 'once').tool, notedTool('pay', 'once').tool];
    const mayDecide = ({ tool }: { tool: string }) => tool === 'note';
    const world = await sessionWorld({ tools, mode: 'plan', mayDecide }, model);
    await world.say('Go');
    await world.settle();
    const id = (await world.view()).session.batch?.waits[0]?.id ?? '';
    const agents = [world.agentOf('test') ?? []].flat();
    expect(await decideAs(bob, world.key, { id, approved }, { io: world, agents })).toMatchObject({ kind });
  });
});

describe('a run', () => {
  const calling = (call: { id: string; name: string; input: unknown }) =>
    reply({ stop: 'tool_use', content: [{ type: 'tool_use', ...call }], calls: [call] });

  async function asking(rule: Rule, ...messages: [text: string, by?: string][]) {
    const pay = notedTool('pay', 'once');
    const { approval: _, ...tool } = pay.tool;
    const world = await sessionWorld(
      { tools: [tool], ...rule },
      scriptedModel(
        ...messages.map((_, i) => calling({ id: `c${i}`, name: 'pay', input: { i } })),
        ...[1, 2, 3, 4].map(() => says('Done.')),
      ),
    );
    for (const [text, by] of messages) {
      await world.say(text, undefined, by);
      await world.settle();
    }
    const [id = ''] = (await world.view()).fence.pending;
    return { world, pay, id };
  }
  const contextOf = (world: SessionWorld) => ({
    io: world,
    agents: [world.agentOf('test')].flatMap((one) => one ?? []),
  });
  const approve = (world: SessionWorld, id: string, by: Decider) =>
    decideAs(by, world.key, { id, approved: true }, contextOf(world));

  test('with another guard preset, a refund still asks, and an API key does not approve its own', async () => {
    const { world, pay, id } = await asking({ guardrails: 'attocode' } as Rule, ['Refund 7', robot.subject]);
    expect((await world.view()).session.reason).toBe('awaiting_approval');
    expect(await approve(world, id, robot)).toMatchObject({
      kind: 'forbidden',
      why: expect.stringMatching(/scope/),
    });
    expect((await world.view()).fence.pending).toEqual([id]);
    expect(await approve(world, id, ada)).toEqual({ kind: 'decided' });
    await world.settle();
    expect(pay.keys).toHaveLength(1);
  });

  test('remembers its requesters: the senders of all messages that it has read, and none of the run before', async () => {
    const rule: Rule = { approvals: { requesterMayDecide: false } };
    const { world, id } = await asking(rule, ['Pay', 'user:bob']);
    await world.say('Hurry', undefined, 'user:cleo');
    await world.settle();
    expect((await world.view()).session.run?.requesters).toEqual(['user:bob']);
    expect(await approve(world, id, bob)).toMatchObject({ kind: 'forbidden' });
    expect(await approve(world, id, ada)).toEqual({ kind: 'decided' });
    await world.settle();
    expect((await world.view()).session.run?.requesters).toEqual(['user:bob', 'user:cleo']);
    await world.say('Again', undefined, 'user:dora');
    await world.settle();
    expect((await world.view()).session.run?.requesters).toEqual(['user:dora']);
  });

  test('a stricter rule applies at once; expired and unknown decisions are answered as before', async () => {
    const { world, id } = await asking({}, ['Pay']);
    world.deploy({ approvals: { deciders: ['role:finance'] } });
    expect(await approve(world, id, bob)).toMatchObject({ kind: 'forbidden' });
    expect(await approve(world, 'made-up', bob)).toMatchObject({ kind: 'closed' });
    expect(await approve(world, id, ada)).toEqual({ kind: 'decided' });
    expect(await approve(world, id, ada)).toEqual({ kind: 'already_decided' });
  });

  test('the refusal is a 403 that says who may decide', async () => {
    const { world, id } = await asking({ approvals: { deciders: ['role:finance'] } }, ['Pay']);
    const event = {
      pathParameters: { sessionId: world.key.sessionId },
      body: JSON.stringify({ id, approved: true }),
      headers: {},
    };
    await expect(
      postDecision(event as never, { ...bob, tenant: 'acme' } as never, contextOf(world) as never),
    ).rejects.toMatchObject({
      problem: {
        status: 403,
        title: 'You may not decide this',
        detail: 'Calls of the agent test are decided by: role:finance.',
      },
    });
  });
});
