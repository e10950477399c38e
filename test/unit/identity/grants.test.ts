/** Grants of a decision beyond its own call, over HTTP and AG-UI (T22). */

import { describe, expect, test } from 'vitest';
import { postDecision } from '../../../functions/routes/decisions.ts';
import { revokeGrant } from '../../../functions/routes/grants.ts';
import { readSession } from '../../../functions/routes/reads.ts';
import type { AgentDefinition } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { toDecision } from '../../../shared/contract/ag-ui.ts';
import { SessionBody } from '../../../shared/contract/answers.ts';
import type { GrantInfo } from '../../../shared/contract/http.ts';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { notedTool } from '../step/reading.fixture.ts';

/** A run that waits for a person about one call, and the response to a decision on it. */
async function asking(name: 'pay' | 'ask_user', definition: Partial<AgentDefinition> = {}) {
  const input = name === 'pay' ? { to: 'bob' } : { question: 'Which?' };
  const call = { id: 'c1', name, input };
  const model = scriptedModel(
    reply({ stop: 'tool_use', content: [{ type: 'tool_use', ...call }], calls: [call] }),
    says('Done.'),
  );
  const pay = { ...notedTool('pay', 'once').tool, approval: 'always' as const };
  const world = await sessionWorld({ tools: [pay, askUser], ...definition }, model);
  await world.say('Go', undefined, name === 'ask_user' ? 'user:ada' : undefined);
  await world.settle();
  const id = (await world.view()).session.batch?.waits[0]?.id;
  const post = (body: object) =>
    postDecision(
      { pathParameters: { sessionId: 's1' }, headers: {}, body: JSON.stringify({ id, ...body }) } as never,
      { subject: 'user:ada', kind: 'jwt', tenant: 'acme' } as never,
      { io: world, agents: [world.agentOf('test')] } as never,
    );
  const event = { pathParameters: { sessionId: 's1' }, headers: {} };
  const agents = () => [world.agentOf('test')];
  const by = (subject: string, roles: readonly string[] = []) =>
    ({ subject, kind: 'jwt', tenant: 'acme', roles }) as never;
  const grants = async (): Promise<GrantInfo[]> => {
    const { body } = await readSession(event as never, by('user:ada'), {
      io: world,
      listed: world.listings,
    } as never);
    return SessionBody.parse(JSON.parse(body ?? '')).grants;
  };
  const revoke = (grantId: string, who: string, roles?: readonly string[]) =>
    revokeGrant({ ...event, pathParameters: { sessionId: 's1', grantId } } as never, by(who, roles), {
      io: world,
      agents: agents(),
    } as never);
  return { world, post, grants, revoke };
}

const grant = { scope: 'run', alike: 'tool', uses: 3 };

describe('a decision that grants', () => {
  test('is accepted, and is in HEAD after its batch has continued', async () => {
    const { world, post } = await asking('pay');
    expect(await post({ approved: true, grant })).toMatchObject({ statusCode: 202 });
    await world.step();
    expect((await world.view()).session.grants).toMatchObject([
      { tool: 'pay', level: 'dangerous', usesLeft: 3, by: 'user:ada' },
    ]);
  });

  test.each<[string, 'pay' | 'ask_user', object, string]>([
    ['a refusal', 'pay', { approved: false, grant }, 'A refusal grants nothing'],
    ['the answer to a question', 'ask_user', { approved: true, grant }, 'A grant for future calls'],
    ['no scope', 'pay', { approved: true, grant: { alike: 'tool' } }, 'grant.scope'],
    ['more than 100 uses', 'pay', { approved: true, grant: { ...grant, uses: 101 } }, 'grant.uses'],
    [
      'more than 30 days',
      'pay',
      { approved: true, grant: { ...grant, seconds: 2_592_001 } },
      'grant.seconds',
    ],
    ['an unknown key', 'pay', { approved: true, grant: { ...grant, tool: '*' } }, 'grant'],
  ])('is refused with %s', async (_what, tool, body, says) => {
    const { world, post } = await asking(tool);
    await expect(post(body)).rejects.toMatchObject({ problem: { status: 400 } });
    const problem = await post(body).catch((error: { problem: object }) => JSON.stringify(error.problem));
    expect(problem).toContain(says);
    expect((await world.view()).session.state).toBe('waiting_for_input');
  });

  test('is passed to the agent’s own rule, which may refuse it', async () => {
    const mayDecide: AgentDefinition['mayDecide'] = ({ grant: given }) => given === undefined;
    const { post } = await asking('pay', { mayDecide });
    await expect(post({ approved: true, grant })).rejects.toMatchObject({ problem: { status: 403 } });
    expect(await post({ approved: true })).toMatchObject({ statusCode: 202 });
  });

  test('comes over AG-UI in the payload of a resolved interrupt', () => {
    const payload = { approved: true, grant };
    expect(toDecision({ interruptId: 'w', status: 'resolved', payload })).toEqual({
      id: 'w',
      approved: true,
      grant,
    });
  });
});

describe('a grant', () => {
  test('is listed with the session while it is valid', async () => {
    const { world, post, grants } = await asking('pay');
    expect(await grants()).toEqual([]);
    await post({ approved: true, grant: { scope: 'session', alike: 'call', seconds: 60 } });
    await world.step();
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await grants()).toEqual([
      {
        ...{ id: expect.any(String), tool: 'pay', level: 'dangerous', scope: 'session', alike: 'call' },
        ...{ until: at, by: 'user:ada', at },
      },
    ]);
    await world.clock.advance(60_000);
    expect(await grants()).toEqual([]);
  });

  test('for a run is listed while that run is going', async () => {
    const { world, post, grants } = await asking('pay');
    await post({ approved: true, grant });
    await world.step();
    expect(await grants()).toMatchObject([{ scope: 'run', alike: 'tool', usesLeft: 3 }]);
    await world.settle();
    expect(await grants()).toEqual([]);
  });

  test.each<[string, string, readonly string[], number]>([
    ['its giver', 'user:ada', [], 200],
    ['a user who may decide', 'user:eve', ['role-that-decides'], 200],
    ['no other user', 'user:eve', ['another-role'], 403],
  ])('is revoked by %s', async (_who, subject, roles, status) => {
    const approvals = { deciders: ['user:ada', 'role:role-that-decides'] };
    const { world, post, grants, revoke } = await asking('pay', { approvals });
    await post({ approved: true, grant: { ...grant, scope: 'session' } });
    await world.step();
    const [{ id } = { id: '' }] = await grants();
    const done = await revoke(id, subject, roles).catch(({ problem }: { problem: { status: number } }) => ({
      statusCode: problem.status,
    }));
    expect(done).toMatchObject({ statusCode: status });
    expect(await grants()).toHaveLength(status === 200 ? 0 : 1);
  });

  test('that has ended, or never existed, is 404', async () => {
    const { world, post, grants, revoke } = await asking('pay');
    await post({ approved: true, grant });
    await world.step();
    const [{ id } = { id: '' }] = await grants();
    await revoke(id, 'user:ada');
    for (const gone of [id, 'another'])
      await expect(revoke(gone, 'user:ada')).rejects.toMatchObject({ problem: { status: 404 } });
  });
});
