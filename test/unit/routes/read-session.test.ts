import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { RouteContext } from '../../../functions/routes/context.ts';
import { readSession } from '../../../functions/routes/reads.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { SessionBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { agentWorld } from '../../../testing/agent-world.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { tool } from '../step/reading.fixture.ts';

const answer = z.object({ severity: z.enum(['low', 'high']), labels: z.array(z.string()).default([]) });

/** The last ending in `GET /sessions/{sessionId}`, after each message. */
async function lastEndings(script: readonly Scripted[], messages: readonly string[]) {
  const world = await sessionWorld({ answer, tools: [tool('get')] }, scriptedModel(...script));
  const { tenant, sessionId } = world.key;
  const caller: Identity = { tenant, subject: 'user:ada', kind: 'jwt', roles: [] };
  const event = { pathParameters: { sessionId } } as unknown as APIGatewayProxyEventV2;
  const get = async () => {
    const { body } = await readSession(event, caller, {
      io: world,
      listed: world.listings,
    } as unknown as RouteContext);
    return SessionBody.parse(JSON.parse(body ?? '')).lastEnding;
  };
  const seen: Awaited<ReturnType<typeof get>>[] = [];
  for (const message of messages) {
    await world.say(message);
    await world.settle();
    seen.push(await get());
  }
  return seen;
}

test('the ending of a session has the object that its last run answered with', async () => {
  const script = [calls(['get', {}]), says('{"severity":"high"}'), says('{"severity":"low","labels":["a"]}')];
  expect(await lastEndings(script, ['One.', 'Two.'])).toMatchObject([
    { reason: 'completed', object: { severity: 'high', labels: [] } },
    { reason: 'completed', object: { severity: 'low', labels: ['a'] } },
  ]);
});

test('and has none if that run has none, whatever the one before it answered', async () => {
  const [, last] = await lastEndings(
    [says('{"severity":"high"}'), says('a'), says('b'), says('c')],
    ['One.', 'Two.'],
  );
  expect(last).toMatchObject({ reason: 'answer_invalid' });
  expect(last).not.toHaveProperty('object');
});

test('a session names the agents that work for it in the background', async () => {
  const base = { version: '1', model: { name: 'm' }, limits: {} };
  const helper = defineAgent({ ...base, name: 'helper', system: 'You help.' });
  const agents = { help: { agent: helper, when: 'For help.', background: true } };
  const script = [calls(['help', { task: 'Do it.' }]), says('Under way.')];
  const world = agentWorld(
    defineAgent({ ...base, name: 'root', system: 'Lead.', agents }),
    scriptedModel(...script),
  );
  await world.say('Go.');
  await world.step();
  const { tenant, sessionId } = world.key;
  const caller: Identity = { tenant, subject: 'user:ada', kind: 'jwt', roles: [] };
  const event = { pathParameters: { sessionId } } as unknown as APIGatewayProxyEventV2;
  const context = { io: world, listed: world.listings } as unknown as RouteContext;
  const { body } = await readSession(event, caller, context);
  const all = [...world.table.heads.values()].map(({ session }) => session);
  const child = all.find(({ parent }) => parent)?.key.sessionId;
  expect(SessionBody.parse(JSON.parse(body ?? '')).background).toMatchObject([{ child, tool: 'help' }]);
});
