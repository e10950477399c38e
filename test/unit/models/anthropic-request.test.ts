import { describe, expect, test } from 'vitest';
import type { Message, ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Block } from '../../../shared/agent/session/slots.ts';
import { toBody } from '../../../shared/models/anthropic/request.ts';
import { callModel, KEY, modelRequest, replyOf } from '../../support/model-call.ts';
import { message, text } from '../../support/model-events.ts';
import { modelServer, reply, status } from '../../support/model-server.ts';

const say = (words: string): Block => ({ type: 'text', text: words });
const user = (...content: Block[]): Message => ({ role: 'user', content });
const assistant = (...content: Block[]): Message => ({ role: 'assistant', content });
const tool = (name: string) => ({ name, description: `Does ${name}.`, input_schema: { type: 'object' } });
const marker = { cache_control: { type: 'ephemeral' } };

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(Object.freeze(value))) frozen(inner);
  return value;
}

/** The body of the request. */
const bodyOf = (request: ModelRequest, cache = true) => JSON.parse(toBody(frozen(request), cache).body);

/** Indexes, over all messages, of the blocks with a breakpoint. */
function marked(messages: readonly Message[], cache = true): number[] {
  const blocks = (bodyOf(modelRequest({ messages }), cache).messages as Message[]).flatMap(
    ({ content }) => content,
  );
  return blocks.flatMap((block, at) => ('cache_control' in block ? [at] : []));
}

async function sent(options: Parameters<typeof callModel>[1]) {
  await using server = await modelServer(reply(message([text('Nine')])));
  replyOf((await callModel(server.url, options)).outcome);
  const [request] = server.requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

describe('the request', () => {
  test('is a streamed message with the settings of the agent', async () => {
    const request = modelRequest({
      tools: [tool('clock')],
      request: { thinking: { type: 'adaptive' }, tool_choice: { type: 'auto' } },
    });
    const { method, path, headers, body } = await sent({ request, cache: false });
    expect([method, path]).toEqual(['POST', '/v1/messages']);
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({
      model: 'claude-test-1',
      max_tokens: 1000,
      stream: true,
      thinking: { type: 'adaptive' },
      tool_choice: { type: 'auto' },
      system: [{ type: 'text', text: 'You are a clock.' }],
      tools: [tool('clock')],
      messages: request.messages,
    });
  });

  test('is not overridden by extra fields, not even where it sets nothing itself', async () => {
    const evil = { model: 'other', messages: [], system: 'Obey.', tools: [{}], stream: 'no', max_tokens: 1 };
    const { body } = await sent({ request: modelRequest({ request: evil, system: '' }), cache: false });
    const { messages } = modelRequest();
    expect(body).toEqual({ model: 'claude-test-1', max_tokens: 1000, stream: true, messages });
  });

  test('keeps the path of the base URL', async () => {
    await using server = await modelServer(reply(message([text('Nine')])));
    await callModel(`${server.url}/anthropic`);
    expect(server.requests[0]?.path).toBe('/anthropic/v1/messages');
  });

  test('sends betas as a header', async () => {
    const { headers, body } = await sent({
      request: modelRequest({ request: { betas: ['a-2026-01-01', 'b-2026-02-02'] } }),
    });
    expect(headers['anthropic-beta']).toBe('a-2026-01-01,b-2026-02-02');
    expect(body).not.toHaveProperty('betas');
  });
});

describe('context editing (strategy `server`)', () => {
  const editing = { above: 160_000, atLeast: 60_000, keepResults: 3 };
  const asked = {
    edits: [
      {
        type: 'clear_tool_uses_20250919',
        trigger: { type: 'input_tokens', value: 160_000 },
        keep: { type: 'tool_uses', value: 3 },
        clear_at_least: { type: 'input_tokens', value: 60_000 },
      },
    ],
  };

  test('is requested in the body, with the beta that it needs, and the messages stay whole', async () => {
    const request = modelRequest({ editing });
    const { headers, body } = await sent({ request, cache: false });
    expect(headers['anthropic-beta']).toBe('context-management-2025-06-27');
    expect(body).toMatchObject({ context_management: asked, messages: request.messages });
    expect(body).not.toHaveProperty('editing');
  });

  test.each([
    [['a-2026-01-01'], 'a-2026-01-01,context-management-2025-06-27'],
    [['context-management-2025-06-27', 'b'], 'context-management-2025-06-27,b'],
  ])('with the agent’s own betas %j the header is %s', async (betas, header) => {
    const { headers } = await sent({ request: modelRequest({ editing, request: { betas } }) });
    expect(headers['anthropic-beta']).toBe(header);
  });

  test('is the agent’s own if it sets one, without a beta of ours', async () => {
    const own = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] };
    const request = modelRequest({ editing, request: { context_management: own, betas: ['mine'] } });
    const { headers, body } = await sent({ request });
    expect(body.context_management).toEqual(own);
    expect(headers['anthropic-beta']).toBe('mine');
  });

  test('has no minimum if there is nothing between target and limit', () => {
    const body = bodyOf(modelRequest({ editing: { ...editing, atLeast: 0 } }));
    expect(body.context_management.edits[0]).not.toHaveProperty('clear_at_least');
  });

  test.each([
    ['streamed', {}],
    ['in one piece', { stream: false }],
  ])('edits that the server applied are reported: %s', async (_how, request) => {
    const applied = {
      applied_edits: [
        { type: 'clear_tool_uses_20250919', cleared_tool_uses: 8, cleared_input_tokens: 50_000 },
        { type: 'clear_thinking_20251015', cleared_thinking_turns: 1, cleared_input_tokens: 900 },
      ],
    };
    const events = message([text('Nine')]).map((event) =>
      typeof event === 'object' && 'type' in event && event.type === 'message_delta'
        ? { ...event, context_management: applied }
        : event,
    );
    const whole = {
      type: 'message',
      content: [{ type: 'text', text: 'Nine' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
      context_management: applied,
    };
    const step = 'stream' in request ? status(200, {}, whole) : reply(events);
    await using server = await modelServer(step);
    const { outcome } = await callModel(server.url, { request: modelRequest({ editing, request }) });
    expect(replyOf(outcome).cleared).toBe(50_900);
  });
});

describe('manual thinking', () => {
  const manual = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
  const thought: Block = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  const call = (id: string): Block => ({ type: 'tool_use', id, name: 'clock', input: {} });
  const result = (id: string): Block => ({ type: 'tool_result', tool_use_id: id, content: 'ten' });

  test.each<[string, boolean, Message[]]>([
    ['a question', true, [user(say('Hi'))]],
    [
      'a loop that began with thinking',
      true,
      [user(say('Hi')), assistant(thought, call('a')), user(result('a'))],
    ],
    [
      'a loop that began with thinking, and continued without',
      true,
      [
        ...[user(say('Hi')), assistant(thought, call('a')), user(result('a'))],
        ...[assistant(call('b')), user(result('b'), say('And?'))],
      ],
    ],
    ['a loop whose thinking was left out', false, [user(say('Hi')), assistant(call('a')), user(result('a'))]],
    [
      'the same, later',
      false,
      [
        ...[user(say('Hi')), assistant(say('Well.'), call('a')), user(result('a'))],
        ...[assistant(call('b')), user(result('b'))],
      ],
    ],
    [
      'a loop after another whose thinking was left out',
      true,
      [
        ...[user(say('Hi')), assistant(call('a')), user(result('a')), assistant(say('Ten.'))],
        ...[user(say('And?')), assistant(thought, call('b')), user(result('b'))],
      ],
    ],
    [
      'a message after a loop whose thinking was left out',
      true,
      [
        ...[user(say('Hi')), assistant(call('a')), user(result('a')), assistant(say('Ten.'))],
        user(say('And?')),
      ],
    ],
  ])('in %s: %s', (_where, stays, messages) => {
    expect('thinking' in bodyOf(modelRequest({ request: manual, messages }))).toBe(stays);
  });

  test('does not apply to adaptive thinking', () => {
    const messages = [user(say('Hi')), assistant(call('a')), user(result('a'))];
    const thinking = { type: 'adaptive' };
    expect(bodyOf(modelRequest({ request: { thinking }, messages })).thinking).toEqual(thinking);
  });
});

describe('headers, facts 0.5', () => {
  test.each([
    ['bearer', `Bearer ${KEY}`, undefined],
    ['x-api-key', undefined, KEY],
    ['both', `Bearer ${KEY}`, KEY],
  ] as const)('%s', async (auth, authorization, apiKey) => {
    const { headers } = await sent({ auth, key: async () => `${KEY}\n` });
    expect([headers.authorization, headers['x-api-key']]).toEqual([authorization, apiKey]);
  });

  test('the version is the one of the SDK, unless it is configured', async () => {
    expect((await sent({})).headers['anthropic-version']).toBe('2026-10-21');
    const { headers } = await sent({
      headers: { 'anthropic-version': '2023-06-01', 'x-stainless-lang': null },
    });
    expect(headers['anthropic-version']).toBe('2023-06-01');
    expect(headers).not.toHaveProperty('x-stainless-lang');
  });
});

describe('cache breakpoints', () => {
  const history = (n: number): Message[] =>
    Array.from({ length: n }, (_, at) => (at % 2 ? assistant(say(`a${at}`)) : user(say(`u${at}`))));

  test('are on the last tool, the system, and the last block', () => {
    const body = bodyOf(modelRequest({ tools: [tool('a'), tool('b')] }));
    expect(body.tools).toEqual([tool('a'), { ...tool('b'), ...marker }]);
    expect(body.system).toEqual([{ ...say('You are a clock.'), ...marker }]);
    expect(body.messages).toEqual([user({ ...say('What time is it in Lisbon?'), ...marker })]);
  });

  test.each([
    ['one block', 1, [0]],
    ['too short for two', 15, [14]],
    ['just long enough', 16, [0, 15]],
    ['long', 100, [84, 99]],
  ])('history: %s', (_name, length, expected) => {
    expect(marked(history(length))).toEqual(expected);
  });

  test('count blocks, not messages', () => {
    expect(marked([user(...Array.from({ length: 20 }, (_, at) => say(`${at}`)))])).toEqual([4, 19]);
  });

  test('skip blocks that cannot carry one', () => {
    const thoughts = { type: 'thinking', thinking: 'Hm', signature: 's' };
    const hidden = { type: 'redacted_thinking', data: 'x' };
    const call = { type: 'tool_use', id: 't', name: 'clock', input: {} };
    const result = { type: 'tool_result', tool_use_id: 't', content: 'nine' };
    expect(
      marked([
        user(say('u')),
        assistant(thoughts, call),
        user(result),
        assistant(say('a'), thoughts, hidden),
      ]),
    ).toEqual([4]);
    expect(
      marked([user(say('u')), assistant(thoughts, call), user(result, say(''), { type: 'hologram' })]),
    ).toEqual([3]);
    expect(
      marked([user(result), ...Array.from({ length: 16 }, () => assistant(thoughts)), user(say('u'))]),
    ).toEqual([0, 17]);
    expect(marked([assistant(thoughts)])).toEqual([]);
    expect(marked([])).toEqual([]);
  });

  test('are the only difference from a request without them', () => {
    const request = frozen(modelRequest({ tools: [tool('a')], messages: history(40) }));
    const bare = toBody(request, false).body;
    expect(toBody(request, true).body.replaceAll(`,${JSON.stringify(marker).slice(1, -1)}`, '')).toBe(bare);
  });

  test('are left out when the agent lets the API place them', () => {
    const body = bodyOf(modelRequest({ request: { cache_control: { type: 'ephemeral', ttl: '1h' } } }));
    expect(JSON.stringify(body.system)).not.toContain('cache_control');
    expect(body.cache_control).toEqual({ type: 'ephemeral', ttl: '1h' });
  });
});

describe('lifetimes of breakpoints', () => {
  const asked = (cache: ModelRequest['cache'], more: Partial<ModelRequest> = {}) => {
    const { tools, system, messages } = bodyOf(
      modelRequest({ tools: [tool('a'), tool('b')], ...(cache !== undefined && { cache }), ...more }),
    );
    const of = (items: object[] = []) =>
      items.map((one) => (one as { cache_control?: object }).cache_control);
    return {
      tools: of(tools),
      system: of(system),
      messages: of(messages.flatMap((one: Message) => one.content)),
    };
  };
  const short = { type: 'ephemeral' };
  const long = { type: 'ephemeral', ttl: '1h' };

  test.each<[ModelRequest['cache'], object]>([
    [undefined, { tools: [undefined, short], system: [short], messages: [short] }],
    [{ system: '1h' }, { tools: [undefined, long], system: [long], messages: [short] }],
    [{ tools: '1h' }, { tools: [undefined, long], system: [short], messages: [short] }],
    [{ messages: '1h' }, { tools: [undefined, long], system: [long], messages: [long] }],
    [
      { tools: false, messages: false },
      { tools: [undefined, undefined], system: [undefined], messages: [undefined] },
    ],
    [
      { tools: false, system: '1h' },
      { tools: [undefined, undefined], system: [long], messages: [short] },
    ],
    [false, { tools: [undefined, undefined], system: [undefined], messages: [undefined] }],
  ])('%j', (cache, marks) => {
    expect(asked(cache)).toEqual(marks);
  });

  test('server tools come first, in their order, and the breakpoint is on the agent’s last tool', () => {
    const serverTools = [
      { type: 'web_search_20260209', name: 'web_search', max_uses: 3 },
      { type: 'mcp_toolset', mcp_server_name: 'docs' },
    ];
    const { tools } = bodyOf(modelRequest({ serverTools, tools: [tool('a'), tool('b')] }));
    expect(tools).toEqual([...serverTools, tool('a'), { ...tool('b'), ...marker }]);
  });

  test('without tools of the agent it is on the last server tool, unless a search loads that one', () => {
    const search = { type: 'web_search_20260209', name: 'web_search' };
    expect(bodyOf(modelRequest({ serverTools: [search] })).tools).toEqual([{ ...search, ...marker }]);
    const later = { ...search, defer_loading: true };
    expect(bodyOf(modelRequest({ serverTools: [later] })).tools).toEqual([later]);
  });

  test('a tool that the server declares and the agent runs is declared once', () => {
    const memory = { type: 'memory_20250818', name: 'memory' };
    const { tools } = bodyOf(modelRequest({ serverTools: [memory], tools: [tool('memory'), tool('b')] }));
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['memory', 'b']);
    expect(tools[0]).toEqual(memory);
  });
});
