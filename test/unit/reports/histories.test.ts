import { describe, expect, test } from 'vitest';
import { askOf } from '../../../shared/agent/entrypoints/accept.ts';
import type { ModelSlot } from '../../../shared/agent/session/slots.ts';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import { block, messageDelta, messageStart, messageStop, text, toolUse } from '../../support/model-events.ts';
import { reply, type Step } from '../../support/model-server.ts';
import { delta, done, finish } from '../../support/openai-events.ts';
import { custom, ending, ofType, tool } from '../step/reading.fixture.ts';
import { refuses, type Served, type ServedWorld, says, servedWorld, stops } from './served.fixture.ts';

/** Histories that a server refuses for good, from public reports. */

const high = '\ud83d';
const LONE = /\\u(?:d[89ab][0-9a-f]{2}(?!\\ud[c-f])|d[c-f][0-9a-f]{2})/i;

/** Refuses a body with half a surrogate pair, as the Messages API does. */
const strict = (answer: (asked: Served) => Step) => (asked: Served) =>
  LONE.test(asked.raw.replace(/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi, ''))
    ? refuses('The request body is not valid JSON: no low surrogate in string: line 1 column 99 (char 98)')
    : answer(asked);

const said = (events: readonly AgUiEvent[]) =>
  ofType(events, 'TEXT_MESSAGE_CONTENT')
    .map((event) => event.delta)
    .join('');

const replyIn = async (world: ServedWorld, n: number) => {
  const slot = (await world.slots())[n];
  if (slot?.kind !== 'model' || !slot.reply) throw new Error(`slot ${n} has no reply`);
  return { ...slot, reply: slot.reply };
};

/** Stores a different reply, as an older version has. */
async function store(world: ServedWorld, n: number, change: (slot: ModelSlot) => ModelSlot): Promise<void> {
  const { fence } = await world.view();
  await world.sessions.putSlot(world.key, fence.epoch, change(await replyIn(world, n)));
}

describe('half a surrogate pair in a reply', () => {
  test('lone-surrogate-in-reply: text that is cut in the middle of a character is sent back and shown with U+FFFD', async () => {
    await using world = await servedWorld(
      strict(({ n }) =>
        n === 1 ? stops('max_tokens', text('All ', `done ${high}`)) : says(text(n === 2 ? '!' : 'Four.')),
      ),
    );
    await world.talk('Go.');
    await world.talk('What is 2+2?');
    expect((await replyIn(world, 0)).reply.content).toEqual([{ type: 'text', text: 'All done \ufffd' }]);
    const events = await world.events();
    expect(said(events)).toContain('All done \ufffd!');
    expect(JSON.stringify(events)).not.toMatch(LONE);
    expect(ending(events)).toMatchObject({ state: 'completed' });
  });

  test('lone-surrogate-in-reply: a tool gets U+FFFD, also in its keys, and its call goes back', async () => {
    const got: unknown[] = [];
    const read = tool('read', (input) => {
      got.push(input);
      return 'read';
    });
    await using world = await servedWorld(
      strict(({ n }) =>
        n === 1
          ? stops('tool_use', toolUse('toolu_1', 'read', `{"path":"a\\ud83d","\\udc00k":1}`))
          : says(text('ok')),
      ),
      { tools: [read] },
    );
    await world.talk('Go.');
    expect(got).toEqual([{ path: 'a\ufffd', '\ufffdk': 1 }]);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('lone-surrogate-in-reply: the same with an OpenAI-compatible server', async () => {
    await using world = await servedWorld(
      strict(({ n }) =>
        reply(
          n === 1
            ? [delta({ content: `Hi ${high}` }), finish('stop'), done]
            : [delta({ content: 'ok' }), finish('stop'), done],
        ),
      ),
      { model: { provider: 'openai', name: 'gpt-test-1', server: 'secondary' } },
    );
    await world.talk('Go.');
    await world.talk('And?');
    expect((await replyIn(world, 0)).reply.content).toEqual([{ type: 'text', text: 'Hi \ufffd' }]);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('a character that is split over two deltas is whole, for people and in history', async () => {
    await using world = await servedWorld(strict(() => says(text('a', high, '\ude00b'))));
    await world.talk('Go.');
    const events = await world.events();
    expect(ofType(events, 'TEXT_MESSAGE_CONTENT').every((event) => event.delta.isWellFormed())).toBe(true);
    expect(said(events)).toContain('a\u{1f600}b');
    expect((await replyIn(world, 0)).reply.content).toEqual([{ type: 'text', text: 'a\u{1f600}b' }]);
  });

  test('a session that was stored with one continues with its next message', async () => {
    await using world = await servedWorld(strict(() => says(text('ok'))));
    await world.talk('Go.');
    await store(world, 0, (slot) => ({
      ...slot,
      input: [{ text: `Go ${high}`, eventId: 'event1' }],
      reply: slot.reply && { ...slot.reply, content: [{ type: 'text', text: `done ${high}` }] },
    }));
    await world.talk('And?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    const [before, last] = world.served.at(-1)?.messages ?? [];
    expect([before, last].map((message) => message?.content[0]?.text)).toEqual(['Go \ufffd', 'done \ufffd']);
  });

  test('signed thinking with one is left out: it can be sent neither as it is nor changed', async () => {
    await using world = await servedWorld(
      strict(({ n }) =>
        n === 1
          ? says(block({ type: 'thinking', thinking: `hm ${high}`, signature: 'abc' }), text('Hi.'))
          : says(text('ok')),
      ),
    );
    await world.talk('Go.');
    expect((await replyIn(world, 0)).reply.content).toEqual([{ type: 'text', text: 'Hi.' }]);
    await world.talk('And?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });
});

const searching = (id = 'srvtoolu_1') =>
  block({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'A' } });
const found = (id = 'srvtoolu_1') => block({ type: 'web_search_tool_result', tool_use_id: id, content: [] });

/** Refuses a server tool without its result, unless the request ends with it. */
const pairing = (answer: (asked: Served) => Step) => (asked: Served) => {
  const { messages } = asked;
  const blocks = messages.flatMap(({ content }) => content);
  const answered = new Set(blocks.map(({ tool_use_id }) => tool_use_id));
  const last = messages.at(-1);
  const open = messages
    .flatMap((message) => (message === last ? [] : message.content))
    .find(({ type, id }) => type === 'server_tool_use' && !answered.has(id));
  if (open)
    return refuses(
      `messages.1: \`web_search\` tool use with id \`${open.id}\` was found without a corresponding \`web_search_tool_result\` block`,
    );
  if (last?.role === 'assistant' && last.content.at(-1)?.type !== 'server_tool_use')
    return refuses(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  return answer(asked);
};

describe('a turn that its server pauses', () => {
  test('pause-turn-then-message: a message that comes meanwhile waits for the end of the turn', async () => {
    let world: ServedWorld;
    await using opened = await servedWorld(
      pairing(({ n }) => {
        if (n === 1)
          return async (response, left) => {
            await world.say('also look at B');
            await stops('pause_turn', text('Looking.'), searching())(response, left);
          };
        return n === 2 ? says(found(), text('A it is.')) : says(text('B as well.'));
      }),
    );
    world = opened;
    await world.talk('Look at A.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    const [, second, third] = world.served;
    expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(third?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'user']);
    expect(third?.messages.at(-1)?.content[0]?.text).toBe('also look at B');
  });

  test('pause-turn-then-message: a wrap-up that is requested meanwhile waits as well', async () => {
    let world: ServedWorld;
    await using opened = await servedWorld(
      pairing(({ n }) => {
        if (n === 1)
          return async (response, left) => {
            expect(await askOf(world.key, 'wrap_up', 'ask1', world)).toBe('accepted');
            await stops('pause_turn', text('Looking.'), searching())(response, left);
          };
        return n === 2 ? says(found(), text('A it is.')) : says(text('{"findings":[]}'));
      }),
    );
    world = opened;
    await world.talk('Look at A.');
    const [, second, third] = world.served;
    expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(third?.messages.at(-1)?.content[0]?.text).toMatch(/Wrap up/);
    expect(ending(await world.events())).toMatchObject({ state: 'completed', steps: 3 });
  });

  test.each(['max_tokens', 'end_turn', 'refusal'])(
    'pause-turn-then-message: a reply that ends with %s leaves no open tool behind',
    async (reason) => {
      await using world = await servedWorld(
        pairing(({ n }) => (n === 1 ? stops(reason, text('Looking.'), searching()) : says(text('ok')))),
      );
      await world.talk('Look at A.');
      await world.talk('And B?');
      expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    },
  );

  test('pause-turn-then-message: a cancel in the pause, and then a message', async () => {
    let world: ServedWorld;
    await using opened = await servedWorld(
      pairing(({ n }) =>
        n === 1
          ? async (response, left) => {
              await world.sessions.cancel(world.key, world.clock.now());
              await stops('pause_turn', text('Looking.'), searching())(response, left);
            }
          : says(text('ok')),
      ),
    );
    world = opened;
    await world.talk('Look at A.');
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled' });
    await world.talk('And B?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('pause-turn-then-message: a fallback answers after the pause, and the next run is the first model’s again', async () => {
    await using world = await servedWorld(
      pairing(({ n }) => {
        if (n === 1) return stops('pause_turn', text('Looking.'), searching());
        if (n === 2) return (response) => Promise.resolve(void response.writeHead(401).end('{}'));
        return says(text(`Answer ${n}.`));
      }),
      { model: { name: 'test-model', fallbacks: [{ name: 'other-model' }] } as never },
    );
    await world.talk('Look at A.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    await world.talk('And B?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(world.served.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  test('a session that was stored with a message after the pause continues with its next message', async () => {
    await using world = await servedWorld(pairing(() => says(text('ok'))));
    await world.talk('Look at A.');
    await store(world, 0, (slot) => ({
      ...slot,
      reply: slot.reply && {
        ...slot.reply,
        stop: 'pause_turn',
        content: [{ type: 'text', text: 'Looking.' }, searching().start],
      },
    }));
    await world.talk('And B?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(world.served.at(-1)?.messages[1]?.content).toEqual([{ type: 'text', text: 'Looking.' }]);
  });

  test('server tools with answers go back as they came', async () => {
    await using world = await servedWorld(
      pairing(({ n }) => (n === 1 ? says(searching(), found(), text('A.')) : says(text('ok')))),
    );
    await world.talk('Look at A.');
    await world.talk('And B?');
    expect(world.served.at(-1)?.messages[1]?.content.map(({ type }) => type)).toEqual([
      'server_tool_use',
      'web_search_tool_result',
      'text',
    ]);
  });
});

describe('a refused turn', () => {
  /** Refuses every request that contains the word. */
  const flagging = ({ raw }: Served): Step =>
    raw.includes('flagged-42')
      ? reply([
          messageStart(),
          messageDelta('refusal', undefined, { stop_details: { category: 'cyber' } }),
          messageStop,
        ])
      : says(text('ok'));

  test('refusal-poisons-session: the next message is sent without it, and people are told', async () => {
    await using world = await servedWorld(flagging);
    await world.talk('Tell me about flagged-42.');
    const [end] = custom(await world.events(), 'steploop.ended');
    expect(end).toMatchObject({ state: 'error', reason: 'blocked', code: 'refusal' });
    expect(end?.message).toMatch(/cyber.*same words/s);
    await world.talk('What is 2+2?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(world.served.at(-1)?.raw).not.toContain('flagged-42');
    expect(world.served.at(-1)?.messages[0]?.content.map((one) => one.text)).toEqual([
      expect.stringMatching(/^\[steploop\] A message that stood here is left out/),
      'What is 2+2?',
    ]);
  });

  test('refusal-poisons-session: a flagged result is replaced by a notice, and its call stays', async () => {
    const look = tool('look', () => 'it says flagged-42');
    await using world = await servedWorld(
      (asked) => (asked.n === 1 ? stops('tool_use', toolUse('toolu_1', 'look', '{}')) : flagging(asked)),
      { tools: [look] },
    );
    await world.talk('Look.');
    expect(ending(await world.events())).toMatchObject({ reason: 'blocked' });
    await world.talk('What is 2+2?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    const { messages } = world.served.at(-1) as Served;
    expect(messages[2]?.content[0]).toMatchObject({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: expect.stringContaining('left out'),
    });
    expect(messages[0]?.content[0]?.text).toBe('Look.');
  });
});
