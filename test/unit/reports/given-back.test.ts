import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { type Answer, askedServer, httpSession } from '../../support/http-session.ts';
import { completion, delta, says } from '../../support/openai-events.ts';

type Fields = Readonly<Record<string, unknown>>;
type Chat = readonly (Fields & { readonly role: string; readonly tool_calls?: readonly Fields[] })[];

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather.',
  effect: 'read',
  input: z.object({ city: z.string() }),
  run: async ({ city }) => `wet in ${city}`,
});

const call = (id: string, more: Fields = {}): Fields => ({
  index: 0,
  id,
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Lisbon"}' },
  ...more,
});
const calling = (...deltas: readonly Fields[]) =>
  completion(
    deltas.map((one) => delta(one)),
    'tool_calls',
  );
const chatOf = (body: Fields | undefined) => (body?.messages ?? []) as Chat;
const refuse = (message: string): Answer => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', code: null } },
});
const callsIn = (chat: Chat) => chat.flatMap(({ tool_calls: calls = [] }) => calls);

/** A server that calls the tool first, answers once it has a result, and refuses the requests that the real one refuses. */
const thatRefuses = (refused: (chat: Chat) => string | undefined, first: readonly string[]) =>
  askedServer((body) => {
    const chat = chatOf(body);
    const why = refused(chat);
    if (why !== undefined) return refuse(why);
    return chat.at(-1)?.role === 'tool'
      ? completion(says('It rains.'))
      : chat.length > 2
        ? completion(says('As before.'))
        : first;
  });

const agent = { model: { provider: 'openai', name: 'm' }, tools: [weather] };

async function twoMessages(url: string) {
  const session = await httpSession(agent, { primary: url });
  await session.say('How is the weather?');
  await session.settle();
  const first = await session.view();
  await session.say('And now?');
  await session.settle();
  return { first: first.session.lastEnding, second: (await session.view()).session.lastEnding, session };
}

describe("fields of a server's reply go back to it", () => {
  test('gemini-thought-signature: extra_content of a call goes back with the call', async () => {
    const extra = { google: { thought_signature: 'sig-1' } };
    await using server = await thatRefuses(
      (chat) =>
        callsIn(chat).some(({ extra_content: sent }) => JSON.stringify(sent) !== JSON.stringify(extra))
          ? 'Function call is missing a thought_signature in functionCall parts.'
          : undefined,
      calling({ tool_calls: [call('call_1', { extra_content: extra })] }),
    );
    const { first, second, session } = await twoMessages(server.url);
    expect([first?.state, second?.state]).toEqual(['completed', 'completed']);
    expect(server.bodies).toHaveLength(3);
    expect(JSON.stringify(await session.events())).not.toContain('sig-1');
  });

  test('gemini-thought-signature: streamed reasoning_details go back whole on their message', async () => {
    const details = [
      {
        type: 'reasoning.text',
        text: 'Let me look.',
        format: 'anthropic-claude-v1',
        index: 0,
        signature: 's',
      },
      { type: 'reasoning.encrypted', data: 'abc', id: 'call_1', format: 'google-gemini-v1', index: 0 },
    ];
    await using server = await thatRefuses(
      (chat) =>
        chat.some(({ role, tool_calls: calls, reasoning_details: sent }) =>
          role === 'assistant' && calls ? JSON.stringify(sent) !== JSON.stringify(details) : false,
        )
          ? 'messages.1.content.0: Invalid `signature` in `thinking` block'
          : undefined,
      calling(
        {
          reasoning: 'Let',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Let', format: 'anthropic-claude-v1', index: 0 },
          ],
        },
        {
          reasoning: ' me look.',
          reasoning_details: [{ type: 'reasoning.text', text: ' me look.', index: 0 }],
        },
        { reasoning_details: [{ type: 'reasoning.text', signature: 's', index: 0 }] },
        { reasoning_details: [details[1] as Fields] },
        { tool_calls: [call('call_1')] },
      ),
    );
    const { first, second } = await twoMessages(server.url);
    expect([first?.state, second?.state]).toEqual(['completed', 'completed']);
    expect(server.bodies).toHaveLength(3);
  });

  test('reasoning-content-back: the reasoning of a message with calls goes back in its field', async () => {
    await using server = await thatRefuses(
      (chat) =>
        chat.some(
          ({ role, tool_calls: calls, reasoning_content: sent }) => role === 'assistant' && calls && !sent,
        )
          ? 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2'
          : undefined,
      calling({ reasoning_content: 'why' }, { tool_calls: [call('call_1')] }),
    );
    const { first, second } = await twoMessages(server.url);
    expect([first?.state, second?.state]).toEqual(['completed', 'completed']);
    expect(server.bodies).toHaveLength(3);
    expect(chatOf(server.bodies[2])[2]).toMatchObject({ reasoning_content: 'why' });
  });
});

describe('parallel calls', () => {
  const entry = (name: string, json: string, more: Fields = { index: 0, id: '' }) => ({
    ...more,
    function: { name, arguments: json },
  });
  const three = (more?: Fields) => [
    entry('weather', '{"city":"A"}', more),
    entry('weather', '{"city":"B"}', more),
    entry('time', '{}', more),
  ];
  const time = defineTool({
    name: 'time',
    description: 'Tells the time.',
    effect: 'read',
    input: z.object({}),
    run: async () => 'nine',
  });

  test.each<[string, readonly Fields[]]>([
    ['index 0 and empty ids', three().map((one) => ({ tool_calls: [one] }))],
    ['no index', three({}).map((one) => ({ tool_calls: [one] }))],
    ['no index, in one chunk', [{ tool_calls: three({}) }]],
  ])('parallel-calls-index0-no-id: %s are three calls', async (_name, deltas) => {
    await using server = await thatRefuses(() => undefined, calling(...deltas));
    const session = await httpSession({ ...agent, tools: [weather, time] }, { primary: server.url });
    await session.say('How is the weather, and what time is it?');
    await session.settle();
    const [, ran] = await session.slots();
    expect(ran).toMatchObject({
      kind: 'tools',
      results: [{ content: 'wet in A' }, { content: 'wet in B' }, { content: 'nine' }],
    });
  });

  test('parallel-calls-index0-no-id: a name in the first piece and arguments in fragments are one call', async () => {
    await using server = await thatRefuses(
      () => undefined,
      calling(
        { tool_calls: [entry('weather', '')] },
        ...['{"ci', 'ty":', '"A"}'].map((json) => ({
          tool_calls: [{ index: 0, function: { arguments: json } }],
        })),
      ),
    );
    const session = await httpSession(agent, { primary: server.url });
    await session.say('How is the weather?');
    await session.settle();
    expect((await session.slots())[1]).toMatchObject({ results: [{ content: 'wet in A' }] });
  });
});

test('Mistral: content as parts is read, streamed, and goes back as parts', async () => {
  const thinking = (text: string) => ({
    content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }],
  });
  const parts = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Let me look.' }] },
    { type: 'text', text: 'I look.' },
  ];
  await using server = await thatRefuses(
    (chat) =>
      chat.some(({ role, tool_calls: calls, content }) =>
        role === 'assistant' && calls ? JSON.stringify(content) !== JSON.stringify(parts) : false,
      )
        ? 'thinking is missing'
        : undefined,
    calling(
      thinking('Let '),
      thinking('me look.'),
      { content: [{ type: 'text', text: 'I look.' }] },
      {
        tool_calls: [call('aB3dE6gH9')],
      },
    ),
  );
  const session = await httpSession(
    { ...agent, model: { ...agent.model, dialect: 'mistral' } },
    { primary: server.url },
  );
  await session.say('How is the weather?');
  await session.settle();
  expect((await session.view()).session.lastEnding).toMatchObject({ state: 'completed' });
  const told = (await session.events()).flatMap((event) =>
    event.type === 'TEXT_MESSAGE_CONTENT' ? [event.delta] : [],
  );
  expect(told.join('')).toContain('I look.');
});

test('a fallback gets none of the fields of another server, and the first model gets all of them again', async () => {
  const extra = { google: { thought_signature: 'sig-1' } };
  let down = false;
  await using first = await askedServer((body) => {
    if (down) return { status: 401, body: { error: { message: 'no' } } };
    const chat = chatOf(body);
    return chat.length > 2
      ? completion(says('So.'))
      : calling({ tool_calls: [call('call_1', { extra_content: extra })] });
  });
  await using second = await askedServer(() => completion(says('Here too.')));
  const session = await httpSession(
    { ...agent, model: { ...agent.model, fallbacks: [{ ...agent.model, server: 'second', name: 'n' }] } },
    { primary: first.url, second: second.url },
  );
  for (const isDown of [false, true, false]) {
    down = isDown;
    await session.say('How is the weather?');
    await session.settle();
    expect((await session.view()).session.lastEnding).toMatchObject({ state: 'completed' });
  }
  expect(JSON.stringify(second.bodies)).not.toContain('sig-1');
  expect(callsIn(chatOf(first.bodies.at(-1)))[0]).toMatchObject({ extra_content: extra });
});
