import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { type Answer, askedServer, httpSession } from '../../support/http-session.ts';
import { completion, delta, says } from '../../support/openai-events.ts';

type Fields = Readonly<Record<string, unknown>>;
type Chat = readonly (Fields & {
  readonly role: string;
  readonly tool_calls?: readonly Fields[];
  readonly tool_call_id?: string;
})[];

const chatOf = (body: Fields | undefined) => (body?.messages ?? []) as Chat;
const refuse = (body: object): Answer => ({ status: 400, body });
/** Errors in Mistral's format: at the root of the body. */
const mistralError = (message: string, code: string) =>
  refuse({ object: 'error', message, type: 'invalid_request_error', param: null, code });

const calling = (id: string, name = 'look') =>
  completion(
    [delta({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '{}' } }] })],
    'tool_calls',
  );

/** Mistral's order of messages, and the form of ids that it accepts (langchain-ai/langchain#24668). */
function mistralRefusal(chat: Chat): Answer | undefined {
  for (const [at, { role }] of chat.entries())
    if (role === 'user' && chat[at - 1]?.role === 'tool')
      return mistralError("Unexpected role 'user' after role 'tool'", '3230');
  const ids = chat.flatMap(({ tool_calls: calls = [], tool_call_id: id }) => [
    ...calls.map((call) => String(call.id)),
    ...(id === undefined ? [] : [id]),
  ]);
  const odd = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
  return odd === undefined
    ? undefined
    : mistralError(`Tool call id was ${odd} but must be a-z, A-Z, 0-9, with a length of 9.`, '3280');
}

const mistral = () =>
  askedServer((body) => {
    const chat = chatOf(body);
    const refused = mistralRefusal(chat);
    if (refused) return refused;
    const called = chat.some(({ role }) => role === 'tool');
    return called ? completion(says('So.')) : calling('aB3dE6gH9');
  });

const look = (run: () => Promise<string> = async () => 'seen') =>
  defineTool({ name: 'look', description: 'Looks.', effect: 'read', input: z.object({}), run });

const rulesTold = async (session: Awaited<ReturnType<typeof httpSession>>) =>
  (await session.events()).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.server_rule' ? [event.value.rule] : [],
  );

describe.each([
  ['by its dialect', { dialect: 'mistral' as const }, []],
  ['by its refusal', {}, ['assistant_after_tool']],
])('the order of messages, %s', (_name, more, told) => {
  const model = { provider: 'openai', name: 'm', ...more };

  test('mistral-user-after-tool: a message that comes while a tool runs does not follow its result', async () => {
    await using server = await mistral();
    let say: () => Promise<unknown> = async () => undefined;
    const tool = look(async () => {
      await say();
      return 'seen';
    });
    const session = await httpSession({ model, tools: [tool] }, { primary: server.url });
    say = () => session.say('Hurry up.');
    await session.say('Look.');
    await session.settle();
    expect((await session.view()).session.lastEnding).toMatchObject({ state: 'completed' });
    await session.say('And now?');
    await session.settle();
    expect((await session.view()).session.lastEnding).toMatchObject({ state: 'completed' });
    expect(await rulesTold(session)).toEqual(told);
    const sent = chatOf(server.bodies.at(-1)).map(({ role }) => role);
    expect(sent).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'user']);
  });

  test('mistral-user-after-tool: later requests repeat the ones before, byte for byte', async () => {
    await using server = await mistral();
    let say: () => Promise<unknown> = async () => undefined;
    const tool = look(async () => {
      await say();
      return 'seen';
    });
    const session = await httpSession({ model, tools: [tool] }, { primary: server.url });
    say = () => session.say('Hurry up.');
    await session.say('Look.');
    await session.settle();
    await session.say('And now?');
    await session.settle();
    await session.say('And then?');
    await session.settle();
    const [before, after] = server.bodies
      .slice(-2)
      .map((body) => chatOf(body).map((one) => JSON.stringify(one)));
    expect(after?.slice(0, before?.length)).toEqual(before);
  });
});

describe('ids of calls', () => {
  const messages = (called: boolean) => {
    const events = called
      ? [
          {
            type: 'content_block_start',
            index: 0,
            content_block: { type: 'tool_use', id: 'toolu_01AbCdEfGhIj', name: 'look', input: {} },
          },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
        ]
      : [];
    const all = [
      { type: 'message_start', message: { model: 'claude', usage: { input_tokens: 5, output_tokens: 1 } } },
      ...events,
      { type: 'message_stop' },
    ];
    return all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const overloaded: Answer = {
    status: 529,
    body: { type: 'error', error: { type: 'overloaded_error', message: 'no' } },
  };

  test.each([
    ['by its dialect', { dialect: 'mistral' as const }, []],
    ['by its refusal', {}, ['call_ids_nine']],
  ])('mistral-call-ids-after-switch: a fallback takes over after a call, %s', async (_name, more, told) => {
    await using anthropic = await askedServer((_body, before) =>
      before === 0 ? messages(true) : overloaded,
    );
    await using server = await mistral();
    const fallback = { provider: 'openai', server: 'mistral', name: 'm', ...more };
    const session = await httpSession(
      { model: { name: 'claude', fallbacks: [fallback] }, tools: [look()] },
      { primary: anthropic.url, mistral: server.url },
    );
    await session.say('Look.');
    await session.settle();
    expect((await session.view()).session.lastEnding).toMatchObject({ state: 'completed' });
    expect(await rulesTold(session)).toEqual(told);
    const slots = await session.slots();
    expect(slots[0]).toMatchObject({ reply: { content: [{ id: 'toolu_01AbCdEfGhIj' }] } });
  });

  test('mistral-call-ids-after-switch: an id that the server repeats goes back once, and then in another of its form', async () => {
    await using server = await askedServer((body) => {
      const chat = chatOf(body);
      return (
        mistralRefusal(chat) ??
        (chat.at(-1)?.role === 'tool' ? completion(says('So.')) : calling('aB3dE6gH9'))
      );
    });
    const model = { provider: 'openai', name: 'm', dialect: 'mistral' as const };
    const session = await httpSession({ model, tools: [look()] }, { primary: server.url });
    for (const text of ['Look.', 'Look again.']) {
      await session.say(text);
      await session.settle();
      expect((await session.view()).session.lastEnding).toMatchObject({ state: 'completed' });
    }
    const ids = chatOf(server.bodies.at(-1)).flatMap(({ tool_call_id: id }) => id ?? []);
    expect(ids[0]).toBe('aB3dE6gH9');
    expect(new Set(ids).size).toBe(2);
  });

  test('Kimi: its own ids go back, and those of another model are numbered', async () => {
    await using anthropic = await askedServer((_body, before) =>
      before === 0 ? messages(true) : overloaded,
    );
    await using kimi = await askedServer((body) => {
      const results = chatOf(body).filter(({ role }) => role === 'tool').length;
      return results < 2 ? calling('functions.look:1') : completion(says('So.'));
    });
    const fallback = { provider: 'openai', server: 'kimi', name: 'kimi-k2', dialect: 'kimi' as const };
    const session = await httpSession(
      { model: { name: 'claude', fallbacks: [fallback] }, tools: [look()] },
      { primary: anthropic.url, kimi: kimi.url },
    );
    await session.say('Look.');
    await session.settle();
    const chat = chatOf(kimi.bodies.at(-1));
    expect(chat.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual([
      'functions.look:0',
      'functions.look:1',
    ]);
    // It requires the reasoning of every message, and another model's is missing.
    const replies = chat.filter(({ role }) => role === 'assistant');
    expect(replies.every(({ reasoning_content: said }) => String(said ?? '').trim() !== '')).toBe(true);
  });
});

describe('limits of tools', () => {
  const long = defineTool({
    name: 'look',
    description: 'x'.repeat(1_500),
    effect: 'read',
    input: z.object({}),
    run: async () => 'seen',
  });
  const strict = () =>
    askedServer((body) => {
      const [tool] = (body.tools ?? []) as { function: { description: string } }[];
      const { length } = tool?.function.description ?? '';
      if (length <= 1_024) return completion(says('So.'));
      const message = `Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length ${length} instead.`;
      const error = {
        message,
        type: 'invalid_request_error',
        param: 'tools[0].function.description',
        code: 'string_above_max_length',
      };
      return refuse({ error });
    });

  test.each([
    ['by its dialect', { dialect: 'openai' as const }, 1],
    ['by its refusal', {}, 2],
  ])('openai-description-1024: a description is cut, %s', async (_name, more, requests) => {
    await using server = await strict();
    const session = await httpSession(
      { model: { provider: 'openai', name: 'm', ...more }, tools: [long] },
      { primary: server.url },
    );
    await session.say('Hi.');
    await session.settle();
    expect((await session.view()).session.lastEnding).toMatchObject({ state: 'completed' });
    expect(server.bodies).toHaveLength(requests);
    await session.say('Hi again.');
    await session.settle();
    expect(server.bodies).toHaveLength(requests + 1);
  });
});
