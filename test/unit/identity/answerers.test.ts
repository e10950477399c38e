import { describe, expect, test } from 'vitest';
import { decideAs } from '../../../functions/middleware/decide.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { type Decider, whyMayNotDecide } from '../../../shared/agent/define/may-decide.ts';
import { callerFacts } from '../../../shared/agent/session/caller.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';

const ada: Decider = { subject: 'user:ada', kind: 'jwt' };
const fin: Decider = { subject: 'user:fin', kind: 'jwt', roles: ['finance'] };
const robot: Decider = { subject: 'key:acme.0', kind: 'key' };
const operator: Decider = { subject: 'operator', kind: 'token' };
const place = { team: 'T1', channel: 'C1', user: 'U1', userTeam: 'T1', external: false };
const cleo: Decider = { subject: 'slack:T1:U1', kind: 'slack', slack: place };

describe('who may answer a question', () => {
  const why = (by: Decider, answerers: string[], requesters = ['user:ada']) =>
    whyMayNotDecide(
      by,
      { kind: 'question', tool: 'ask_user' },
      {
        key: { tenant: 'acme', sessionId: 's1' },
        agent: 'test',
        user: 'user:ada',
        run: { requesters } as never,
      },
      defineAgent({
        name: 'test',
        version: '1',
        model: { name: 'm' },
        system: 's',
        approvals: { answerers },
      }),
    );

  test.each<[string, Decider, string[], RegExp | undefined]>([
    ['the owner', ada, [], undefined],
    ['a stranger', fin, [], /take part/],
    ['a stranger who is named by role', fin, ['role:finance'], undefined],
    ['the owner, if others are named', ada, ['role:finance'], /answered by: role:finance/],
    ['a key, if others are named', robot, ['role:finance'], /answered by/],
    ['a key that is named', robot, ['key:acme.0'], undefined],
    ['the deployment’s token, if others are named', operator, ['user:ada'], /answered by/],
    ['a member in Slack, if others are named', cleo, ['user:ada'], /answered by/],
    ['a member in Slack who is named', cleo, ['slack:T1:U1'], undefined],
  ])('%s', (_who, by, answerers, refused) => {
    if (refused) expect(why(by, answerers)).toMatch(refused);
    else expect(why(by, answerers)).toBeUndefined();
  });

  test('no stranger, even if the run has more requesters than it remembers', () => {
    expect(why(fin, [], ['*'])).toMatch(/take part/);
  });
});

describe('a question for finance', () => {
  async function asking() {
    const world = await sessionWorld(
      { tools: [askUser], approvals: { answerers: ['role:finance'] } },
      scriptedModel(calls(['ask_user', { question: 'Whom do I pay?' }]), says('Done.'), says('More.')),
    );
    await say(world, 'Pay the bill.', ada);
    const [wait] = (await world.view()).fence.pending;
    return { world, wait: wait ?? '' };
  }
  const say = async (world: SessionWorld, text: string, by: Decider) => {
    await world.say(text, undefined, by.subject, callerFacts(by as never, 'http'));
    await world.settle();
  };
  const decide = (world: SessionWorld, by: Decider, id: string) =>
    decideAs(
      by,
      world.key,
      { id, approved: true, note: 'FIN' },
      {
        io: world,
        agents: [world.agentOf('test') ?? []].flat(),
      },
    );

  test('is not answered by its owner: neither by a decision, nor by a message, which is read afterwards', async () => {
    const { world, wait } = await asking();
    expect(await decide(world, ada, wait)).toMatchObject({ kind: 'forbidden' });
    await say(world, 'Pay me.', ada);
    expect((await world.view()).session.reason).toBe('awaiting_user');
    expect(world.model.requests).toHaveLength(1);
    expect(await decide(world, fin, wait)).toEqual({ kind: 'decided' });
    await world.settle();
    const told = JSON.stringify(world.model.requests[1]?.messages);
    expect(told).toContain('FIN');
    expect(told.indexOf('FIN')).toBeLessThan(told.indexOf('Pay me.'));
    expect((await world.view()).session.state).toBe('completed');
  });

  test('is answered by a message of one who is named', async () => {
    const { world } = await asking();
    await say(world, 'Pay FIN.', fin);
    expect((await world.view()).session.state).toBe('completed');
    expect((await world.view()).session.run?.requesters).toEqual(['user:ada', 'user:fin']);
  });

  test('waits also if the message came before the question was open', async () => {
    const world = await sessionWorld(
      { tools: [askUser], approvals: { answerers: ['role:finance'] } },
      scriptedModel(calls(['ask_user', { question: 'Whom do I pay?' }]), says('Done.'), says('More.')),
    );
    await world.say('Pay the bill.', 'e1', ada.subject, callerFacts(ada as never, 'http'));
    const running = world.begin();
    await world.say('Pay me.', 'e2', ada.subject, callerFacts(ada as never, 'http'));
    await running?.finish();
    await world.settle();
    expect((await world.view()).session.reason).toBe('awaiting_user');
  });

  test('does not exist for strangers, who are not told who may answer either', async () => {
    const { world, wait } = await asking();
    expect(await decide(world, { subject: 'user:eve', kind: 'jwt' }, wait)).toEqual({ kind: 'unknown' });
  });
});
