import { describe, expect, test } from 'vitest';
import { postPageAnswer } from '../../../functions/routes/answer-of-page.ts';
import { addMessage, createSession } from '../../../functions/routes/arrivals.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { calls, type ScriptedModel, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { memoryEdge } from '../../support/memory-edge.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { person } from './page-world.fixture.ts';

const paint = { name: 'paint', description: 'Paints the page.', parameters: { type: 'object' } };
const page = {
  tools: [paint],
  context: [{ description: 'The open invoice', value: 'R-17' }],
  state: { step: 2 },
};

async function apiWorld(model: ScriptedModel) {
  const world = await sessionWorld({}, model);
  const agent = world.agentOf('test');
  const context = {
    ...memoryEdge(world),
    ...{ io: world, agents: agent ? [agent] : [], priceOf: async () => undefined, webhooks: {} },
  } as unknown as RouteContext;
  const call = async (route: Route, body: object, sessionId?: string) => {
    const event = {
      ...{ headers: {}, isBase64Encoded: false, body: JSON.stringify(body) },
      pathParameters: { sessionId },
    } as never;
    const { statusCode, body: text } = await route(event, person('ada'), context);
    await world.settle();
    return { status: statusCode, body: JSON.parse(text ?? 'null') };
  };
  const { body } = await call(createSession, { agent: 'test', message: 'Paint it', page });
  const { sessionId } = body;
  const waits = async () =>
    (await world.sessions.read({ tenant: 'acme', sessionId }))?.session.batch?.waits ?? [];
  return {
    waits,
    say: (more: object) => call(addMessage, { message: 'Again', ...more }, sessionId),
    answer: (said: object) => call(postPageAnswer, said, sessionId),
  };
}

describe('the HTTP API', () => {
  test('takes the tools of a page, and what it shows, with a message', async () => {
    const model = scriptedModel(says('1'), says('2'), says('3'));
    const it = await apiWorld(model);
    await it.say({ page });
    await it.say({});
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['paint'],
      ['paint'],
      [],
    ]);
    const shown = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)).includes('R-17'));
    expect(shown).toEqual([true, true, false]);
  });

  test('takes the answer of a page once', async () => {
    const model = scriptedModel(calls(['paint', {}]), says('Painted.'));
    const it = await apiWorld(model);
    const [wait] = await it.waits();
    const toolCallId = String(wait?.callId);
    const answered = { status: 202, body: { toolCallId, result: 'answered' } };
    expect(await it.answer({ toolCallId, result: { done: true } })).toEqual(answered);
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('done');
    const late = { problem: { status: 409, title: 'Not waited for' } };
    await expect(it.answer({ toolCallId, result: 'other' })).rejects.toMatchObject(late);
    await expect(it.answer({ toolCallId: 'nothing', error: 'x' })).rejects.toMatchObject(late);
    expect(model.requests).toHaveLength(2);
  });

  test.each([
    ['without a result', { toolCallId: 'c1' }],
    ['with both', { toolCallId: 'c1', result: 1, error: 'x' }],
    ['with no call', { result: 1 }],
  ])('refuses an answer %s', async (_what, said) => {
    const it = await apiWorld(scriptedModel(says('1')));
    await expect(it.answer(said)).rejects.toMatchObject({ problem: { status: 400 } });
  });
});
