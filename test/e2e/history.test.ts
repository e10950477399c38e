import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, emptyView, fold, httpClient, textOf, type View } from '../../web/client/index.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { message, messageStart, text } from '../support/model-events.ts';
import { apiError, reply, type Step } from '../support/model-server.ts';
import { type AskedModel, type RuleModel, ruleModel } from '../support/rule-model.ts';

/** Window of the agent `gatherer`, in tokens. Its model refuses longer requests. */
const WINDOW = 16_000;
const SUMMARY = 'Facts: the parcel is in Oslo.';

let model: RuleModel;
let world: Embedded;

const rule = ({ body, lastText }: AskedModel): Step => {
  const tokens = Math.ceil(JSON.stringify([body.system, body.tools, body.messages]).length / 4);
  if (tokens + 1_000 > WINDOW)
    return apiError(400, 'invalid_request_error', `prompt is too long: ${tokens} tokens > ${WINDOW} maximum`);
  const says = (said: string): Step => {
    const [, ...rest] = message([text(said)]);
    return reply([messageStart({ input_tokens: tokens, output_tokens: 1 }), ...rest]);
  };
  if (lastText.includes('is about to leave your context')) return says(SUMMARY);
  return says(JSON.stringify(body.messages).includes('Oslo') ? 'It is in Oslo.' : 'I do not know.');
};

beforeAll(async () => {
  model = await ruleModel(rule);
  world = await embedded({ model });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const client = () => httpClient({ httpUrl: world.stack.outputs.HttpUrl ?? '', token: world.token });
/** The last request that the model read, without cache markers. */
const lastRead = () =>
  (model.asked.at(-1)?.messages ?? []).map(({ role, content }) => ({
    role,
    content: content.map(({ cache_control: _, ...block }) => block),
  }));

const asked = {
  role: 'user',
  content: [{ type: 'text', text: 'Where is parcel 7?' }],
};
const called = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'Looking.' },
    { type: 'tool_use', id: 'toolu_1', name: 'find', input: { parcel: 7 } },
  ],
};
const found = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'In Oslo.' }],
};
const said = { role: 'assistant', content: [{ type: 'text', text: 'Found it.' }] };
const anthropic = [asked, called, found, said];

describe('an imported conversation', () => {
  test('continues: its model reads it verbatim, and the export contains both it and the continuation', async () => {
    const imported = await client().importSession(
      { agent: 'worker', history: { format: 'anthropic', messages: anthropic } },
      { idempotencyKey: 'parcel' },
    );
    const { sessionId } = imported;
    expect(await client().session(sessionId)).toMatchObject({ state: 'idle', totals: { costUsd: 0 } });
    const { sessions } = await client().sessions({ q: 'parcel' });
    expect(sessions).toMatchObject([{ sessionId, state: 'idle', title: 'Where is parcel 7?' }]);
    expect(model.asked).toEqual([]);

    let view: View = emptyView;
    const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '' } = world.stack.outputs;
    const follower = connect({ httpUrl, socketUrl, token: world.token });
    follower.subscribe(sessionId, {
      onEvent(event) {
        view = fold(view, event);
      },
      onRefused: (error) => {
        throw error;
      },
    });
    await client().addMessage(sessionId, 'Where was that?');
    await world.atRest(sessionId);
    const question = { role: 'user', content: [{ type: 'text', text: 'Where was that?' }] };
    expect(lastRead()).toEqual([...anthropic, question]);
    const answer = { role: 'assistant', content: [{ type: 'text', text: 'It is in Oslo.' }] };
    expect(await client().exportSession(sessionId, 'anthropic')).toEqual([...anthropic, question, answer]);
    expect((await client().steps(sessionId)).steps.map(({ imported: is }) => is)).toEqual([
      true,
      true,
      undefined,
    ]);
    expect((await client().sessions({ q: 'parcel' })).sessions).toMatchObject([{ state: 'completed' }]);

    // A client that has followed it from the beginning has seen all of it.
    await expect.poll(() => textOf(view), { timeout: 20_000 }).toContain('It is in Oslo.');
    expect(textOf(view)).toContain('Found it.');
    follower.close();

    // Repeating the import still changes nothing.
    const again = { agent: 'worker', history: { format: 'anthropic' as const, messages: anthropic } };
    const repeated = await client().importSession(again, { idempotencyKey: 'parcel' });
    expect(repeated).toMatchObject({ sessionId, duplicate: true });
    const other = { ...again, history: { format: 'anthropic' as const, messages: [asked] } };
    await expect(client().importSession(other, { idempotencyKey: 'parcel' })).rejects.toThrow(
      'Idempotency-Key reused',
    );
    expect((await client().session(sessionId)).state).toBe('completed');
  });

  test('that is larger than its model’s window is folded first, and continues from the summary', async () => {
    const before = model.asked.length;
    const long = Array.from({ length: 14 }, (_, i) => [
      { role: 'user', content: `Question ${i}. ${'Some words of it. '.repeat(250)}` },
      { role: 'assistant', content: `Answer ${i}. ${i === 0 ? 'The parcel is in Oslo.' : ''}` },
    ]).flat();
    const { sessionId } = await client().importSession({
      agent: 'gatherer',
      history: { format: 'openai', messages: long },
      message: 'Where is the parcel?',
    });
    expect(await world.atRest(sessionId, 120)).toMatchObject({ state: 'completed' });
    const requests = model.asked.slice(before);
    expect(requests.length).toBeGreaterThan(1);
    expect(JSON.stringify(lastRead())).toContain(SUMMARY);
    const told = await client().exportSession(sessionId, 'openai');
    expect(told).toEqual([
      ...long,
      { role: 'user', content: 'Where is the parcel?' },
      { role: 'assistant', content: 'It is in Oslo.' },
    ]);
  });

  test('has messages larger than an item of the table', async () => {
    const content = 'An "odd" text.\n'.repeat(60_000);
    const messages = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: content }] },
      { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'Read.' }] },
    ];
    const { sessionId } = await client().importSession({
      agent: 'worker',
      history: { format: 'ai-sdk', messages },
    });
    const exported = await client().exportSession(sessionId, 'ai-sdk');
    expect(exported).toMatchObject([
      { role: 'user', parts: [{ text: content }] },
      { role: 'assistant', parts: [{ type: 'step-start' }, { text: 'Read.' }] },
    ]);
  });
});
