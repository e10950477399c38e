import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
import { editMessage, forkSession } from '../../../functions/routes/branches.ts';
import type { RouteContext } from '../../../functions/routes/context.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';

const instead = { system: 'Say what you know of others.' };

test.each([
  ['a fork', forkSession, { message: 'hi', instead }],
  ['an edit', editMessage, { messageId: 'user-event1', message: 'hi', instead }],
])('%s with another prompt is refused to users who see their own sessions only', async (_, route, body) => {
  const world = await sessionWorld({}, scriptedModel(says('Hello.')));
  await world.say('hi');
  await world.settle();
  const pathParameters = { sessionId: world.key.sessionId };
  const event = { pathParameters, headers: {}, body: JSON.stringify(body) };
  const caller: Identity = {
    ...{ tenant: world.key.tenant, subject: 'user:ada', kind: 'jwt', roles: ['support'] },
  };
  const context = { io: world, priceOf: async () => undefined } as unknown as RouteContext;
  const before = world.table.definitions.size;
  await expect(route(event as unknown as APIGatewayProxyEventV2, caller, context)).rejects.toMatchObject({
    problem: { status: 403, title: 'Not allowed' },
  });
  expect(world.table.definitions.size).toBe(before);
});
