import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
import type { RouteContext } from '../../../functions/routes/context.ts';
import { readStepRequest } from '../../../functions/routes/step-request.ts';
import { StepRequestBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { foldingModel } from '../../support/folding-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { getting, small } from '../step/folds.fixture.ts';
import { notedTool } from '../step/reading.fixture.ts';

const operator: Identity = { tenant: 'acme', subject: 'token', kind: 'token' };

async function requestOf(world: SessionWorld, slot: string, over: Partial<Identity> = {}) {
  const event = { pathParameters: { sessionId: world.key.sessionId, slot } };
  const caller = { ...operator, tenant: world.key.tenant, ...over };
  const { body } = await readStepRequest(event as unknown as APIGatewayProxyEventV2, caller, {
    io: world,
  } as unknown as RouteContext);
  return StepRequestBody.parse(JSON.parse(body ?? ''));
}

async function talk() {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2VjcmV0' },
    { type: 'tool_use', id: 'c1', name: 'look', input: { n: 1 } },
  ];
  const calls = [{ id: 'c1', name: 'look', input: { n: 1 } }];
  const model = scriptedModel(reply({ stop: 'tool_use', content, calls }), says('Found.'), says('Bye.'));
  const world = await sessionWorld({ tools: [notedTool('look', 'read').tool] }, model);
  await world.say('Look it up');
  await world.settle();
  await world.say('Thanks');
  await world.settle();
  return { world, model };
}

test('each step shows the request to its model, as it was sent', async () => {
  const { world, model } = await talk();
  for (const [i, slot] of ['0', '2', '3'].entries()) {
    const { system, tools, messages, model: name } = await requestOf(world, slot);
    const sent = model.requests[i];
    expect({ system, tools, model: name }).toEqual({
      system: sent?.system,
      tools: sent?.tools,
      model: sent?.model,
    });
    const withoutSignatures = JSON.parse(
      JSON.stringify(sent?.messages, (key, value) => (key === 'signature' ? undefined : value)),
    );
    expect(messages).toEqual(withoutSignatures);
    expect(JSON.stringify(messages)).not.toContain('c2VjcmV0');
  }
});

test.each([
  ['results are cleared', { keepToolTurns: 1 }],
  ['a summary is bought', {}],
] as const)('also if %s', async (_, context) => {
  const model = foldingModel({}, ...getting(6), says('Six.'));
  const world = await sessionWorld(small(context), model);
  await world.say('Count what there is.');
  await world.settle();
  const asked = (await world.slots()).filter((slot) => slot.kind === 'model' && !slot.fold);
  const told = await Promise.all(asked.map(({ n }) => requestOf(world, String(n))));
  expect(told.map(({ messages }) => messages)).toEqual(model.requests.map(({ messages }) => messages));
});

test.each(['1', '9', 'x'])('slot %s sent no request: 404', async (slot) => {
  const { world } = await talk();
  await expect(requestOf(world, slot)).rejects.toMatchObject({ problem: { status: 404 } });
});

test('prompts are visible to users who see all sessions', async () => {
  const { world } = await talk();
  await expect(requestOf(world, '0', { kind: 'jwt', roles: [] })).rejects.toMatchObject({
    problem: { status: 403 },
  });
  expect(await requestOf(world, '0', { kind: 'jwt', roles: ['steploop-operator'] })).toHaveProperty('system');
});
