import { describe, expect, test } from 'vitest';
import { cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { retryRun } from '../../../shared/agent/entrypoints/retry.ts';
import { block, text, toolUse } from '../../support/model-events.ts';
import { apiError, type Step } from '../../support/model-server.ts';
import { custom, ending, endings, tool } from '../step/reading.fixture.ts';
import { refuses, type Served, type ServedWorld, says, servedWorld, stops } from './served.fixture.ts';

/** A server that refuses one part of a conversation, and may name its place: the session continues without that part. */

const bad = 'POISON';
const odd =
  (message = 'Bad request.') =>
  (answer: (asked: Served) => Step) =>
  (asked: Served) =>
    asked.raw.includes(bad) ? refuses(message) : answer(asked);

const told = async (world: ServedWorld) => custom(await world.events(), 'steploop.omitted');
const last = (world: ServedWorld) => world.served.at(-1)?.messages ?? [];
/** The last request without cache breakpoints, which move. */
const all = (world: ServedWorld) =>
  JSON.stringify(last(world)).replaceAll(',"cache_control":{"type":"ephemeral"}', '');

const looks = (n: number) =>
  stops(
    'tool_use',
    text('Let me look.'),
    ...Array.from({ length: n }, (_, i) => toolUse(`toolu_${i}`, 'look', `{"n":${i}}`)),
  );

describe('a part that a server refuses', () => {
  test('an odd result is replaced by a notice, the others stay, and people are told once', async () => {
    const look = tool('look', ({ n }) => (n === 1 ? bad : `saw ${n}`));
    await using world = await servedWorld(
      odd()(({ n }) => (n === 1 ? looks(3) : says(text('ok')))),
      { tools: [look] },
    );
    await world.talk('Look.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    const results = last(world)[2]?.content ?? [];
    expect(results.map(({ content }) => content)).toEqual([
      'saw 0',
      expect.stringMatching(/^\[steploop\] The result of this call is left out/),
      'saw 2',
    ]);
    expect(await told(world)).toMatchObject([{ why: 'malformed', parts: [{ slot: 1, part: 'results' }] }]);
    const before = all(world);
    await world.talk('And?');
    expect(all(world).startsWith(before.slice(0, -1))).toBe(true);
    expect(await told(world)).toHaveLength(1);
  });

  test('the place that a server names is tried first', async () => {
    const look = tool('look', ({ n }) => (n === 4 ? bad : `saw ${n}`));
    await using world = await servedWorld(
      odd('messages.2.content.4.tool_result.content: Input should be something else')(({ n }) =>
        n === 1 ? looks(9) : says(text('ok')),
      ),
      { tools: [look] },
    );
    await world.talk('Look.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(world.served).toHaveLength(3);
    expect(last(world)[2]?.content.filter(({ content }) => /left out/.test(String(content)))).toHaveLength(1);
  });

  test('two odd parts are left out one after the other, as the server names them', async () => {
    const look = tool('look', ({ n }) => (n === 0 || n === 2 ? `${bad}${n}` : 'fine'));
    await using world = await servedWorld(
      ({ raw, n }) => {
        const at = [0, 2].find((one) => raw.includes(`${bad}${one}`));
        if (at !== undefined) return refuses(`messages.2.content.${at}: no`);
        return n === 1 ? looks(3) : says(text('ok'));
      },
      { tools: [look] },
    );
    await world.talk('Look.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(all(world)).toContain('fine');
  });

  test('a block of the previous reply is left out, and its text stays', async () => {
    await using world = await servedWorld(
      odd()(({ n }) => (n === 1 ? says(text('Hi.'), block({ type: 'later', what: bad })) : says(text('ok')))),
    );
    await world.talk('Go.');
    await world.talk('And?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(last(world)[1]?.content).toEqual([{ type: 'text', text: 'Hi.' }]);
    expect(world.served).toHaveLength(3);
  });

  test('a call with odd input keeps its place, and its result', async () => {
    const look = tool('look', () => 'seen');
    await using world = await servedWorld(
      odd()(({ n }) =>
        n === 1
          ? stops('tool_use', text('Hm.'), toolUse('toolu_1', 'look', `{"n":"${bad}"}`))
          : says(text('ok')),
      ),
      { tools: [look] },
    );
    await world.talk('Go.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(all(world)).not.toContain(bad);
  });

  test('an odd reply is left out with its results', async () => {
    const look = tool('look', () => 'seen');
    await using world = await servedWorld(
      ({ raw, n }) =>
        raw.includes('toolu_9')
          ? refuses('Bad request.')
          : n === 1
            ? stops('tool_use', toolUse('toolu_9', 'look', '{}'))
            : says(text('ok')),
      { tools: [look] },
    );
    await world.talk('Go.');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(last(world).map(({ role }) => role)).toEqual(['user']);
    expect(all(world)).toMatch(/Your last reply, or a part of it, is left out/);
  });

  test('a user message is replaced last, and the next one is read', async () => {
    await using world = await servedWorld(odd()(() => says(text('ok'))));
    await world.talk('Hi.');
    await world.talk(`Read ${bad}.`);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(all(world)).toMatch(/A message that stood here is left out/);
    await world.talk('And now?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(all(world)).toContain('And now?');
  });

  test('a session that ended because of it in an older version continues with its next message', async () => {
    let strict = false;
    await using world = await servedWorld((asked) =>
      strict && asked.raw.includes(bad)
        ? refuses('Bad request.')
        : says(text('ok'), block({ type: 'later', what: bad })),
    );
    await world.talk('Hi.');
    strict = true;
    // As that version has left it: a message without a reply, and the run ended.
    const { fence } = await world.view();
    await world.say('Dead?');
    await world.settle();
    const slots = await world.slots();
    expect(fence.epoch).toBeGreaterThan(0);
    expect(slots.length).toBeGreaterThan(1);
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
  });

  test('a server that refuses everything gets a bounded number of requests, and the next message starts afresh', async () => {
    let broken = true;
    await using world = await servedWorld(({ n }) =>
      n > 1 && broken ? refuses('Bad request.') : says(text(`Reply ${n}.`)),
    );
    await world.talk('Hi.');
    await world.talk('And?');
    expect(endings(await world.events()).at(-1)).toMatchObject({ reason: 'provider_error' });
    expect(world.served.length).toBeLessThanOrEqual(10);
    broken = false;
    await world.talk('Now?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(all(world)).toContain('Reply 1.');
    expect(all(world)).not.toContain('left out');
  });

  test('a search that a cancel ends leaves nothing out: the next message starts afresh', async () => {
    let broken = true;
    await using world = await servedWorld(({ n }) => {
      if (n === 1 || !broken) return says(text(`Reply ${n}.`));
      const refused = refuses('Bad request.');
      if (n < 3) return refused;
      return async (...args) => {
        await cancel(world.key, world);
        return refused(...args);
      };
    });
    await world.talk('Hi.');
    await world.talk('And?');
    expect(ending(await world.events())).toMatchObject({ state: 'cancelled' });
    expect(world.served.length).toBeLessThan(6);
    broken = false;
    await world.talk('Now?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(all(world)).toContain('Reply 1.');
    expect(all(world)).not.toContain('left out');
    expect(await told(world)).toEqual([]);
  });

  test.each([
    ['a tool', 'tools.1.custom.input_schema: JSON schema is invalid'],
    ['a parameter', 'max_tokens: 100000 > 64000, which is the maximum'],
    ['the account', 'Your credit balance is too low to access the Anthropic API.'],
  ])('nothing is left out if the server names %s', async (_, message) => {
    await using world = await servedWorld(({ n }) => (n > 1 ? refuses(message) : says(text('Hi.'))));
    await world.talk('Hi.');
    await world.talk('And?');
    expect(world.served).toHaveLength(2);
    expect(ending(await world.events())).toMatchObject({ reason: 'provider_error' });
  });

  test('a refused first request has no part to leave out', async () => {
    await using world = await servedWorld(() => refuses('Bad request.'));
    await world.talk('Hi.');
    expect(world.served).toHaveLength(1);
  });
});

describe('a content filter', () => {
  test('that refuses the request counts as a refusal of its model: the next message is sent without the words', async () => {
    await using world = await servedWorld(({ raw }) =>
      raw.includes('flagged-42')
        ? apiError(400, 'content_filter', 'The response was filtered due to the content management policy.')
        : says(text('ok')),
    );
    await world.talk('Tell me about flagged-42.');
    expect(ending(await world.events())).toMatchObject({ reason: 'blocked' });
    expect(await told(world)).toMatchObject([{ why: 'refused', parts: [{ slot: 0, part: 'input' }] }]);
    await world.talk('What is 2+2?');
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    expect(all(world)).not.toContain('flagged-42');
  });

  test('is tried once more by an explicit retry, and its answer then stays', async () => {
    let strict = true;
    await using world = await servedWorld(({ raw }) =>
      strict && raw.includes('flagged-42')
        ? apiError(400, 'content_filter', 'content management policy')
        : says(text('ok')),
    );
    await world.talk('Tell me about flagged-42.');
    expect(await retryRun(world.key, { eventId: 'again1' }, world)).toBe('accepted');
    await world.settle();
    expect(world.served.filter(({ raw }) => raw.includes('flagged-42'))).toHaveLength(2);
    expect(ending(await world.events())).toMatchObject({ reason: 'blocked' });
    await world.talk('What is 2+2?');
    expect(all(world)).not.toContain('flagged-42');
    await world.talk('Tell me about flagged-42 again.');
    strict = false;
    expect(await retryRun(world.key, { eventId: 'again2' }, world)).toBe('accepted');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    await world.talk('Thanks.');
    expect(all(world)).toContain('flagged-42 again');
  });
});
