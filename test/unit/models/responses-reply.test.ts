import { describe, expect, test } from 'vitest';
import { admissible } from '../../../shared/agent/step/model/admissible.ts';
import { callResponses, modelRequest, type ResponsesCallOptions, replyOf } from '../../support/model-call.ts';
import { garbage, laxly, modelServer, type Piece, reply } from '../../support/model-server.ts';
import {
  begins,
  calls,
  incomplete,
  item,
  messageOf,
  refuses,
  response,
  responseOf,
  says,
  thinks,
} from '../../support/responses-events.ts';

async function streamed(pieces: readonly Piece[], options: ResponsesCallOptions = {}) {
  await using server = await modelServer(reply(pieces));
  const { outcome, deltas } = await callResponses(server.url, options);
  return { reply: replyOf(outcome), deltas, request: server.requests[0] };
}

const replyTo = async (pieces: readonly Piece[], options?: ResponsesCallOptions) =>
  (await streamed(pieces, options)).reply;

const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };

describe('content', () => {
  test('text is streamed as it arrives and kept as one block', async () => {
    const { reply, deltas, request } = await streamed(response([says('msg_1', 'Half ', 'past', ' nine')]));
    expect(reply).toEqual({
      model: 'gpt-test-1',
      stop: 'end_turn',
      content: [{ type: 'text', text: 'Half past nine', _given: { message: { id: 'msg_1' } } }],
      calls: [],
      usage,
    });
    expect(deltas.map(({ text }) => text)).toEqual(['Half ', 'past', ' nine']);
    expect([request?.method, request?.path]).toEqual(['POST', '/responses']);
    expect(request?.headers).toMatchObject({ authorization: expect.stringMatching(/^Bearer sk-test/) });
    expect(request?.body).toMatchObject({
      store: false,
      stream: true,
      max_output_tokens: 1000,
      instructions: 'You are a clock.',
      include: ['reasoning.encrypted_content'],
      input: [{ role: 'user', content: 'What time is it in Lisbon?' }],
    });
  });

  test('reasoning keeps the encrypted form of the item that is done, and the item that follows it', async () => {
    const { reply, deltas } = await streamed(
      response([thinks('rs_1', 'enc', 'Lisbon', 'is wet'), calls('fc_1', 'call_1', 'clock', '{"n":', '1}')]),
    );
    expect(reply).toMatchObject({
      stop: 'tool_use',
      content: [
        {
          type: 'thinking',
          thinking: 'Lisbon\n\nis wet',
          signature: 'enc',
          _given: { message: { id: 'rs_1', before: 'fc_1' } },
        },
        { type: 'tool_use', id: 'call_1', name: 'clock', input: { n: 1 }, _given: { call: { id: 'fc_1' } } },
      ],
      calls: [{ id: 'call_1', name: 'clock', input: { n: 1 } }],
    });
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'Lisbon' },
      { kind: 'thinking', text: '\n\nis wet' },
    ]);
  });

  test('the phase of a message is kept', async () => {
    const said = messageOf('msg_1', { phase: 'commentary' }, ['On it.']);
    expect((await replyTo(response([said]))).content).toEqual([
      { type: 'text', text: 'On it.', _given: { message: { id: 'msg_1', phase: 'commentary' } } },
    ]);
  });

  test('the text of reasoning that is not encrypted is kept as such', async () => {
    const thought = item({
      ...{ id: 'rs_1', type: 'reasoning', summary: [] },
      content: [{ type: 'reasoning_text', text: 'Hm' }],
    });
    const { reply, deltas } = await streamed(response([thought, says('msg_1', 'Nine.')]));
    expect(reply.content[0]).toEqual({
      type: 'thinking',
      thinking: 'Hm',
      _given: { as: 'content', message: { id: 'rs_1', before: 'msg_1' } },
    });
    expect(deltas[0]).toEqual({ kind: 'thinking', text: 'Hm' });
  });

  test('an empty reply is a valid reply', async () => {
    expect(await replyTo(response([]))).toMatchObject({ stop: 'end_turn', content: [], calls: [] });
  });

  test('a reply in one piece is read like a stream', async () => {
    const items = [thinks('rs_1', 'enc', 'Hm'), says('msg_1', 'Nine.')];
    await using server = await modelServer(garbage(JSON.stringify(responseOf(items)), 'application/json'));
    const request = modelRequest({
      ...{ provider: 'openai-responses', model: 'gpt-test-1' },
      request: { stream: false },
    });
    const { outcome, deltas } = await callResponses(server.url, { request });
    expect(replyOf(outcome)).toEqual(await replyTo(response(items)));
    expect(deltas).toEqual([
      { kind: 'thinking', text: 'Hm' },
      { kind: 'text', text: 'Nine.' },
    ]);
    expect(server.requests[0]?.body.stream).toBe(false);
  });

  test('a character that is split between two packets arrives whole; comments and unknown events change nothing', async () => {
    const events = response([says('msg_1', 'naïve 🕘 ', 'Привет')]).map(
      (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    const bytes = [...Buffer.from(events.join(''))];
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) =>
      Uint8Array.from(bytes.slice(n * 7, n * 7 + 7)),
    );
    const odd = [': ping\n\n', 'event: keepalive\ndata: still here\n\n', { type: 'response.of_tomorrow' }];
    expect((await replyTo([...odd, ...pieces])).content).toMatchObject([{ text: 'naïve 🕘 Привет' }]);
  });
});

describe('ends', () => {
  test.each([
    ['max_output_tokens', 'max_tokens', undefined],
    ['content_filter', 'refusal', 'content_filter'],
    ['weird', 'unknown', 'weird'],
  ])('incomplete for %s is %s', async (reason, stop, stopDetail) => {
    const reply = await replyTo(incomplete([says('msg_1', 'So.')], reason));
    expect([reply.stop, reply.stopDetail]).toEqual([stop, stopDetail]);
  });

  test('a refusal is recognized, with its words', async () => {
    expect(await replyTo(response([refuses('msg_1', 'I ', 'cannot.')]))).toMatchObject({
      stop: 'refusal',
      stopDetail: 'I cannot.',
    });
  });

  test('of a reply that is cut, no call is run, and its text stays', async () => {
    const cut = incomplete(
      [thinks('rs_1', 'enc'), says('msg_1', 'On it.'), calls('fc_1', 'call_1', 'clock', '{"n":')],
      'max_output_tokens',
    );
    const reply = await replyTo(cut);
    expect(reply).toMatchObject({ stop: 'max_tokens', cutCalls: true, calls: [] });
    expect(admissible(reply).content.map(({ type }) => type)).toEqual(['thinking', 'text']);
  });
});

describe('usage', () => {
  test('cached tokens and those written to the cache are subtracted, reasoning is part of the output', async () => {
    const told = {
      ...{ input_tokens: 900, output_tokens: 70, output_tokens_details: { reasoning_tokens: 64 } },
      input_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
    };
    expect((await replyTo(response([says('msg_1', 'So.')], { usage: told }))).usage).toEqual({
      ...{ input: 50, output: 70, cacheRead: 800, cacheWrite: 50 },
    });
  });

  test.each([
    ['null', null],
    [
      'with null counts',
      { input_tokens: null, output_tokens: null, input_tokens_details: { cached_tokens: null } },
    ],
    ['with details of null', { input_tokens: 24, output_tokens: 1, input_tokens_details: null }],
  ])('%s is read, and estimated where it says nothing', async (_what, told) => {
    const { usage: counted } = await replyTo(response([says('msg_1', 'So.')], { usage: told }));
    expect(counted).toEqual({ input: 24, output: 1, cacheRead: 0, cacheWrite: 0 });
  });

  test('the tier of the call is billed', async () => {
    expect(await replyTo(response([says('msg_1', 'So.')], { service_tier: 'flex' }))).toMatchObject({
      billing: { modes: ['flex'] },
    });
  });

  test('searches are counted, opened pages are not, and time in containers has no price', async () => {
    const search = (id: string, type: string) =>
      item({ id, type: 'web_search_call', status: 'completed', action: { type } });
    const code = item({ id: 'ci_1', type: 'code_interpreter_call', status: 'completed', code: '1' });
    const reply = await replyTo(
      response([search('ws_1', 'search'), search('ws_2', 'open_page'), code, says('msg_1', 'So.')]),
    );
    expect(reply).toMatchObject({ usage: { webSearches: 1 }, billing: { unpriced: ['code_execution'] } });
  });
});

/** Reports on this API in other frameworks. */
describe('reports', () => {
  test('open-webui#27800, 9router#705: a last event without output or usage leaves what was streamed', async () => {
    const items = [thinks('rs_1', 'enc'), says('msg_1', 'Nine.')];
    for (const last of [{ output: [] }, { output: undefined, usage: undefined }])
      expect((await replyTo(response(items, last))).content).toEqual(
        (await replyTo(response(items))).content,
      );
  });

  test('a server that sends only the last event is read, and its text is seen', async () => {
    const items = [says('msg_1', 'Nine.'), calls('fc_1', 'call_1', 'clock', '{}')];
    const { reply, deltas } = await streamed([{ type: 'response.completed', response: responseOf(items) }]);
    expect(reply).toMatchObject({ stop: 'tool_use', calls: [{ id: 'call_1' }] });
    expect(deltas).toEqual([{ kind: 'text', text: 'Nine.' }]);
  });

  test('oh-my-pi#1882: calls side by side keep their own arguments, by id or by index', async () => {
    const add = (index: number) => ({
      ...{ type: 'response.output_item.added', output_index: index },
      item: {
        id: `fc_${index}`,
        type: 'function_call',
        call_id: `call_${index}`,
        name: 'clock',
        arguments: '',
      },
    });
    const grow = (index: number, delta: string, more: object) => ({
      ...{ type: 'response.function_call_arguments.delta', delta, output_index: index, ...more },
    });
    for (const idOf of [
      // Every item is counted as 0.
      (n: number) => ({ item_id: `fc_${n}`, output_index: 0 }),
      // Every event has another id.
      (n: number) => ({ item_id: `other_${Math.random()}`, output_index: n }),
    ]) {
      const events = [0, 1].flatMap((n) => [add(n)]);
      const pieces = ['{"n":', '7}'].flatMap((piece) => [0, 1].map((n) => grow(n, piece, idOf(n))));
      const last = { type: 'response.completed', response: responseOf([]) };
      const { calls: made } = await replyTo([...events, ...pieces, last]);
      expect(made).toMatchObject([
        { id: 'call_0', input: { n: 7 } },
        { id: 'call_1', input: { n: 7 } },
      ]);
    }
  });

  test('opencodex#4652: arguments that come only when they are done are read', async () => {
    const [call] = [calls('fc_1', 'call_1', 'clock', '{"n":1}')];
    const events = begins([call]).filter(
      ({ type }) => !type.endsWith('.delta') && type !== 'response.output_item.done',
    );
    const last = { type: 'response.completed', response: responseOf([], { output: [] }) };
    expect((await replyTo([...events, last])).calls).toMatchObject([{ input: { n: 1 } }]);
  });

  test('an item that comes twice is one', async () => {
    const said = says('msg_1', 'Nine.');
    const twice = [...begins([said]), ...said.events(0)];
    const reply = await replyTo([...twice, { type: 'response.completed', response: responseOf([said]) }]);
    expect(reply.content).toMatchObject([{ text: 'Nine.' }]);
  });

  test('typescript-agent#125: a reply that claims to be complete with a cut call is cut', async () => {
    const reply = await replyTo(response([calls('fc_1', 'call_1', 'clock', '{"n":')]));
    expect(reply).toMatchObject({ stop: 'max_tokens', cutCalls: true, calls: [] });
  });

  test('litellm#37710: reasoning that has used up the limit is a cut reply', async () => {
    const reply = await replyTo(incomplete([thinks('rs_1', 'enc')], 'max_output_tokens'));
    expect(admissible(reply)).toMatchObject({ stop: 'max_tokens', content: [] });
  });

  test('dsh-plugin-subscriptions#29: a call id that is too long is not sent back', async () => {
    const { content, calls: made } = await replyTo(
      response([calls('fc_1', `call_${'x'.repeat(64)}`, 'clock', '{}')]),
    );
    expect(made[0]?.id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(content[0]).not.toHaveProperty('_given.id');
  });

  test.each([
    ['that begin otherwise', 'item_1'],
    ['that are too long', `msg_${'x'.repeat(64)}`],
    ['with other characters', 'msg_/1'],
  ])('codex#33176: ids %s are not kept', async (_what, id) => {
    const { content } = await replyTo(response([thinks('rs_1', 'enc'), says(id, 'Nine.')]));
    expect(content).toEqual([
      { type: 'thinking', thinking: '', signature: 'enc' },
      { type: 'text', text: 'Nine.' },
    ]);
  });

  test('an event whose kind is only its name is read', async () => {
    const nameless = response([says('msg_1', 'Nine.')]).map(
      ({ type, ...rest }) => `event: ${type}\ndata: ${JSON.stringify(rest)}\n\n`,
    );
    expect((await replyTo(nameless)).content).toMatchObject([{ text: 'Nine.' }]);
  });

  test('microsoft/agent-framework-go#783: an id that a server gives again is not kept', async () => {
    const request = modelRequest({
      ...{ provider: 'openai-responses', model: 'gpt-test-1' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Ten.', _given: { message: { id: 'msg_1' } } }],
        },
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      ],
    });
    await using server = await modelServer(
      laxly('the server is not OpenAI’s', reply(response([says('msg_1', 'Nine.')]))),
    );
    const { outcome } = await callResponses(server.url, { request });
    expect(replyOf(outcome).content).toEqual([{ type: 'text', text: 'Nine.' }]);
  });
});

test('the sources that a reply cites are kept', async () => {
  const citation = {
    type: 'url_citation',
    url: 'https://docs.test',
    title: 'Docs',
    start_index: 0,
    end_index: 2,
  };
  const content = [{ type: 'output_text', text: 'It is.', annotations: [citation] }];
  const said = item({ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content });
  expect((await replyTo(response([said]))).content).toMatchObject([
    { _given: { citations: [{ url: 'https://docs.test', title: 'Docs' }] } },
  ]);
});
