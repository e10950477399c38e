import { expect, test } from 'vitest';
import { message, text, thinking } from '../../support/model-events.ts';
import { laxly, modelServer, modelServerOf, reply } from '../../support/model-server.ts';
import { calls, completion } from '../../support/openai-events.ts';
import { ruleModel, sayText } from '../../support/rule-model.ts';

/** The scripted servers of the tests refuse what the real ones refuse, over HTTP. */

const hi = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
const sound = { model: 'm', max_tokens: 10, stream: true, messages: [hi] };
const empty = { ...sound, messages: [{ role: 'user', content: [] }] };

const post = (url: string, body: unknown, path = '/v1/messages') =>
  fetch(url + path, { method: 'POST', body: JSON.stringify(body) });

test('a refused request gets the text of the real server, uses no step, and fails the test', async () => {
  const server = await modelServer(reply(message([text('Hello.')])));
  const refused = await post(server.url, empty);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining('all messages must have non-empty content') },
  });
  expect(await (await post(server.url, sound)).text()).toContain('Hello.');
  expect(server.requests).toHaveLength(1);
  await expect(server[Symbol.asyncDispose]()).rejects.toThrow('the model server refused what it was sent');
});

test('a step may answer any request', async () => {
  await using server = await modelServer(laxly('this test asks nonsense', reply(message([text('Hello.')]))));
  expect((await post(server.url, empty)).status).toBe(200);
});

test('a test may check refusals itself', async () => {
  await using server = await modelServerOf({ mayRefuse: true });
  expect((await post(server.url, empty)).status).toBe(400);
  expect(server.refusals).toMatchObject([
    { rule: 'a message has content, but for the last of the assistant' },
  ]);
});

test('a server that answers by a rule is strict as well', async () => {
  await using model = await ruleModel(() => sayText('Hello.'), { mayRefuse: true });
  expect((await post(model.url, empty)).status).toBe(400);
  expect((await post(model.url, sound)).status).toBe(200);
  expect(model.asked).toHaveLength(1);
});

test('streamed thinking is recognized, and other thinking is refused', async () => {
  const thought = reply(message([thinking('sig-1', 'wh', 'y'), text('So.')]));
  await using server = await modelServerOf({ mayRefuse: true }, thought, reply(message([text('Yes.')])));
  await (await post(server.url, sound)).text();
  const next = (words: string) => {
    const content = [
      { type: 'thinking', thinking: words, signature: 'sig-1' },
      { type: 'text', text: 'So.' },
    ];
    return post(server.url, { ...sound, messages: [hi, { role: 'assistant', content }, hi] });
  };
  expect((await next('why not')).status).toBe(400);
  expect((await next('why')).status).toBe(200);
  expect(server.refusals).toMatchObject([{ rule: 'a thought is what the server has thought' }]);
});

test('streamed calls are recognized with their extra fields', async () => {
  const call = completion(
    calls(0, 'call_1', 'get', '{}').map((piece) =>
      piece.replace(
        '"type":"function"',
        '"type":"function","extra_content":{"google":{"thought_signature":"s"}}',
      ),
    ),
    'tool_calls',
  );
  await using server = await modelServerOf({ dialect: 'gemini', mayRefuse: true }, reply(call));
  const path = '/v1/chat/completions';
  const user = { role: 'user', content: 'hi' };
  await (await post(server.url, { model: 'm', messages: [user] }, path)).text();
  const asked = { id: 'call_1', type: 'function', function: { name: 'get', arguments: '{}' } };
  const messages = [
    user,
    { role: 'assistant', content: null, tool_calls: [asked] },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ];
  const refused = await post(server.url, { model: 'm', messages }, path);
  expect(await refused.json()).toMatchObject([
    { error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining('thought_signature') } },
  ]);
});
