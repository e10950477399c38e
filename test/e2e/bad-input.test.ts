import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpClient } from '../../web/client/http.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { message, text, toolUse } from '../support/model-events.ts';
import { apiError, cut, garbage, reply, type Step } from '../support/model-server.ts';
import { type AskedModel, callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

/** The first message says what the model does: `flood`, `break throw`, `model 401`, … */
function rule({ messages, turn }: AskedModel): Step {
  const said = String(messages[0]?.content[0]?.text ?? '');
  const [what = '', how = ''] = said.split(' ');
  if (what === 'model') return faulty(said, how);
  if (turn > 0) return sayText('I saw the result.');
  switch (what) {
    case 'flood':
      return callTools(['flood', {}]);
    case 'climb':
      return reply(message([toolUse('../../other#session/x', 'flood', '{}')], 'tool_use'));
    case 'deep':
      return reply(message([toolUse('call_1', 'look', `{"n":${deep}}`)], 'tool_use'));
    case 'break':
      return callTools(['break', { how }]);
    case 'misuse':
      return callTools(['look', { n: 'one' }]);
    case 'stall':
      return callTools(['stall', { n: 1 }]);
    default:
      return sayText('Hello.');
  }
}

const tries = new Map<string, number>();
function faulty(said: string, how: string): Step {
  const n = (tries.get(said) ?? 0) + 1;
  tries.set(said, n);
  if (how === '401') return apiError(401, 'authentication_error', 'invalid key');
  if (n > (how === 'away' ? 4 : 1)) return sayText('Better now.');
  switch (how) {
    case '429':
      return apiError(429, 'rate_limit_error', 'slow down', { 'retry-after': '1' });
    case '529':
      return apiError(529, 'overloaded_error', 'busy');
    case 'away':
      return n % 2 === 0 ? cut([], 0, 'reset') : apiError(529, 'overloaded_error', 'busy');
    case 'broken':
      return cut(message([text('Half an ans', 'wer')]), 4, 'reset');
    default:
      return garbage('<html>It works!</html>');
  }
}

let model: RuleModel;
let world: Embedded;
beforeAll(async () => {
  model = await ruleModel(rule);
  world = await embedded({
    model,
    tools: ({ name }) => (name === 'stall' ? new Promise(() => {}) : { ok: true }),
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** JSON that breaks any recursion over its value. */
const deep = '['.repeat(50_000) + ']'.repeat(50_000);
const deepBody = `{"agent":"worker","message":${deep}}`;

const good = { agent: 'worker', message: 'hello' };

describe('the HTTP API refuses', () => {
  test.each([
    ['malformed JSON', '{"agent":', 400, 'Malformed JSON'],
    ['an unknown field', { ...good, model: 'gpt' }, 400, 'Invalid body'],
    ['an empty message', { ...good, message: '   ' }, 400, 'Invalid body'],
    ['an unknown agent', { ...good, agent: 'nobody' }, 404, 'No such agent'],
    ['a message of another kind, nested deep', deepBody, 400, 'Invalid body'],
    [
      'an unknown field, nested deep',
      `{"agent":"worker","message":"hello","x":${deep}}`,
      400,
      'Invalid body',
    ],
    ['an oversize body', { ...good, message: 'x'.repeat(600_000) }, 413, 'Body too large'],
  ])('%s', async (_name, body, status, title) => {
    const answer = await world.api('POST', '/sessions', body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ type: 'about:blank', title, status });
    expect(answer.body.detail).toEqual(expect.any(String));
  });

  test('a wrong field, naming it', async () => {
    const { body } = await world.api('POST', '/sessions', { agent: 'worker', message: 7 });
    expect(body.errors).toEqual([{ path: 'message', message: expect.any(String) }]);
  });

  test.each([
    ['GET', '/sessions/nothere'],
    ['GET', '/sessions/nothere/messages'],
    ['GET', '/sessions/nothere/events'],
    ['POST', '/sessions/nothere/cancel'],
    ['GET', '/sessions/..%2f..%2fetc'],
  ])('an unknown session: %s %s', async (method, path) => {
    expect(await world.api(method, path)).toMatchObject({ status: 404, body: { title: 'No such session' } });
  });

  test('a message for an unknown session', async () => {
    const answer = await world.api('POST', '/sessions/nothere/messages', { message: 'hi' });
    expect(answer).toMatchObject({ status: 404, body: { title: 'No such session' } });
  });

  test.each(['', 'Bearer wrong', 'Basic abc'])('the authorization "%s"', async (authorization) => {
    const answer = await world.api('POST', '/sessions', good, { authorization });
    expect(answer).toMatchObject({ status: 401, body: { title: 'Not authorized' } });
  });

  test('a bad cursor', async () => {
    const id = await world.start('hello');
    expect(await world.api('GET', `/sessions/${id}/events?after=soon`)).toMatchObject({ status: 400 });
  });
});

describe('a conversation that is larger than a response', () => {
  test('is read page by page, to the last message', { timeout: 120_000 }, async () => {
    const id = await world.start('hello');
    await world.atRest(id);
    // Twenty of these are 8 MB as Lambda counts: a quote is escaped for the body, and again for the response.
    const text = '"'.repeat(99_990);
    for (let n = 0; n < 20; n++) {
      const sent = await world.api('POST', `/sessions/${id}/messages`, { message: `${n} ${text}` });
      expect(sent.status).toBe(202);
    }
    await world.atRest(id);
    const first = await world.api('GET', `/sessions/${id}/messages`);
    expect(first.status).toBe(200);
    expect(first.body.next).toEqual(expect.any(String));

    const client = httpClient({ httpUrl: world.stack.outputs.HttpUrl ?? '', token: world.token });
    const said = (await client.messages(id)).flatMap(({ role, content }) =>
      role === 'user' ? [content] : [],
    );
    expect(said.slice(1).map((one) => Number.parseInt(one ?? '', 10))).toEqual([...Array(20).keys()]);
    for (let after = 0; ; ) {
      const page = await client.events(id, after);
      if (page.frames.length === 0) break;
      after = page.next;
    }
  });
});

describe('an Idempotency-Key', () => {
  test('never starts a second run', async () => {
    const send = () =>
      world.api('POST', '/sessions', { ...good, message: 'once only' }, { 'idempotency-key': 'k1' });
    const [first, second] = await Promise.all([send(), send()]);
    await world.atRest(first.body.sessionId);
    const third = await send();
    expect([second.body.sessionId, third.body.sessionId]).toEqual([
      first.body.sessionId,
      first.body.sessionId,
    ]);
    expect(third.body.duplicate).toBe(true);
    await world.atRest(first.body.sessionId);
    expect((await world.messages(first.body.sessionId)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
    ]);
  });

  test('with a different body is refused', async () => {
    const send = (text: string) =>
      world.api('POST', '/sessions', { ...good, message: text }, { 'idempotency-key': 'k2' });
    await send('one');
    expect(await send('two')).toMatchObject({ status: 422, body: { title: 'Idempotency-Key reused' } });
  });
});

describe('the webhook route', () => {
  const deliver = (payload: object | string, headers: Record<string, string> = {}) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const signature = createHmac('sha256', world.webhookSecret).update(body).digest('hex');
    return world.api('POST', '/hooks/github', body, {
      'x-github-event': 'issues',
      'x-github-delivery': 'd-1',
      'x-hub-signature-256': `sha256=${signature}`,
      ...headers,
    });
  };
  const opened = (number: number) => ({ action: 'opened', issue: { number, title: 'It leaks' } });

  test('starts a run for a signed delivery, and none for its replay', async () => {
    const first = await deliver(opened(1));
    expect(first).toMatchObject({ status: 202, body: { duplicate: false } });
    await world.atRest(first.body.sessionId);
    const replayed = await deliver(opened(1));
    expect(replayed).toMatchObject({
      status: 200,
      body: { duplicate: true, sessionId: first.body.sessionId },
    });
    const session = await world.atRest(first.body.sessionId);
    expect(session).toMatchObject({ slots: 1, state: 'completed' });
  });

  test.each([
    ['missing', 11, ''],
    ['wrong', 12, `sha256=${'0'.repeat(64)}`],
    ['not a signature', 13, 'sha256=zz'],
  ])('refuses a signature that is %s, and stores nothing', async (_name, number, signature) => {
    const refused = await deliver(opened(number), { 'x-hub-signature-256': signature });
    expect(refused).toMatchObject({ status: 401, body: { title: 'Wrong signature' } });
    const again = await deliver(opened(number));
    expect(again).toMatchObject({ status: 202, body: { duplicate: false } });
    const { slots } = await world
      .atRest(again.body.sessionId)
      .then(() => world.session(again.body.sessionId));
    expect(slots).toBeGreaterThan(0);
  });

  test('ignores events that no agent handles', async () => {
    expect(await deliver({ action: 'starred' })).toMatchObject({ status: 200, body: { ignored: 'issues' } });
  });

  test('accepts a payload with deeply nested parts, and ignores one that is nothing else', async () => {
    const nested = `{"action":"opened","issue":{"number":21,"title":"It leaks","x":${deep}},"y":${deep}}`;
    const given = await deliver(nested, { 'x-github-delivery': 'd-21' });
    expect(given).toMatchObject({ status: 202 });
    await world.atRest(given.body.sessionId);
    expect(await deliver(deep, { 'x-github-delivery': 'd-22' })).toMatchObject({ status: 200 });
  });

  test('knows no other sources', async () => {
    expect(await world.api('POST', '/hooks/gitlab', {})).toMatchObject({
      status: 404,
      body: { title: 'No such webhook' },
    });
  });
});

describe('a tool', () => {
  const resultOf = async (said: string) => {
    const id = await world.start(said);
    expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
    const result = (await world.messages(id)).find((message) => message.role === 'tool');
    return { id, content: result?.content ?? '' };
  };

  test('whose arguments fail its schema gets an error result that says why', async () => {
    const { content } = await resultOf('misuse');
    expect(content).toContain('Error [invalid_arguments]');
    expect(content).toContain('expected number');
  });

  test.each([
    ['break throw', 'Error [failed]: the pipe burst'],
    ['stall', 'Error [timeout]: stall did not finish within 1 s'],
  ])('that does "%s" gives an error result, and the run continues', async (said, error) => {
    expect((await resultOf(said)).content).toContain(error);
  });

  test('whose output is too large is cut for the model, which is told so, and kept whole', async () => {
    const { content } = await resultOf('flood');
    expect(content).toHaveLength(50_000 + content.slice(50_000).length);
    expect(content).toContain('Output cut: 50000 of 600000 characters shown');
  });
});

describe('a model that', () => {
  test('calls with deeply nested arguments is told that they are invalid, and its reply is paid for once', async () => {
    const id = await world.start('deep');
    expect(await world.atRest(id)).toMatchObject({
      state: 'completed',
      run: { steps: 2, totals: { input: 20, output: 10 } },
    });
    const result = (await world.messages(id)).find(({ role }) => role === 'tool');
    expect(result?.content).toContain('Error [invalid_arguments]');
  });

  test('gives its call an id that looks like a path has its large result kept with its own session', async () => {
    const id = await world.start('climb');
    expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
    const result = (await world.messages(id)).find((message) => message.role === 'tool');
    expect(result?.toolCallId).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(result?.content).toContain('Output cut: 50000 of 600000 characters shown');
  });

  test('answers 401 ends the run, with the reason', async () => {
    const id = await world.start('model 401');
    expect(await world.atRest(id)).toMatchObject({ state: 'error', reason: 'provider_error' });
    const events = await world.events(id);
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_ERROR',
      message: expect.stringContaining('authentication_error'),
    });
    expect(JSON.stringify(events)).not.toContain('test-key');
  });

  test('is down for longer than three attempts is waited for, and the next attempt succeeds', async () => {
    const id = await world.start('model away');
    expect(await world.atRest(id)).toMatchObject({ state: 'completed', run: { steps: 1 } });
    const retries = (await world.events(id)).flatMap((event) =>
      event.type === 'CUSTOM' && event.name === 'steploop.retry' ? [event.value] : [],
    );
    expect(retries.map(({ code }) => code)).toEqual([
      'overloaded_error',
      'stream_broken',
      'overloaded_error',
      'stream_broken',
    ]);
    for (const { nextTryAt, givesUpAt = '' } of retries) expect(nextTryAt < givesUpAt).toBe(true);
  });

  test.each(['429', '529', 'broken', 'garbage'])(
    'answers with a fault (%s) is called again later',
    async (how) => {
      const id = await world.start(`model ${how}`);
      expect(await world.atRest(id)).toMatchObject({ state: 'completed', run: { steps: 1 } });
      expect((await world.messages(id)).at(-1)).toMatchObject({ role: 'assistant', content: 'Better now.' });
      expect(await world.events(id)).toContainEqual(
        expect.objectContaining({ type: 'CUSTOM', name: 'steploop.retry' }),
      );
    },
  );
});
