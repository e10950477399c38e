import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sizeOf } from '../../../shared/agent/context/size.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { accept, openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { messagesOf } from '../../../shared/agent/events/snapshot.ts';
import { keepSent } from '../../../shared/agent/media/keep.ts';
import type { Message } from '../../../shared/agent/ports/provider.ts';
import type { Attachment } from '../../../shared/agent/session/attachments.ts';
import { image, withImages } from '../../../shared/agent/tools/shown.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { pngOf } from '../../support/images.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const png = pngOf(30, 20);
const refuses: Scripted = {
  kind: 'failed',
  failure: { kind: 'fatal', code: 'invalid_request_error', message: 'could not process image' },
};

let world: SessionWorld;
const open = async (definition: Parameters<typeof sessionWorld>[0] = {}, ...script: Scripted[]) => {
  world = await sessionWorld(definition, scriptedModel(...script));
  const agent = world.agentOf('test');
  if (agent) await openSession(world.key, agent, async () => undefined, world);
};
beforeEach(() => open());

/** Keeps bytes as content of the session, as the edge does. */
async function sent(as: Attachment['as'], name: string, bytes: Uint8Array): Promise<Attachment> {
  const kept = await keepSent({ name, as, bytes }, world.key, 5_000_000, world.blobs);
  if (typeof kept === 'string') throw new Error(kept);
  return kept;
}

let events = 0;
const say = (text: string, ...attachments: Attachment[]) =>
  accept(world.key, { eventId: `e${++events}`, text, attachments }, world);

const requests = () => world.model.requests.map(({ messages }) => messages);
const first = (request: readonly Message[] | undefined) => request?.[0]?.content;
const texts = (message: Message | undefined) =>
  message?.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));

describe('attachments of users', () => {
  test('stand before the text, and are the same bytes in every later request', async () => {
    world.model.answer(says('A plan.'), says('Blue.'));
    await say('What is this?', await sent('image', 'plan.png', png));
    await world.settle();
    await world.say('And the roof?');
    await world.settle();
    expect(first(requests()[0])).toEqual([
      { type: 'text', text: '[image "plan.png", 30×20]' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(png) } },
      { type: 'text', text: 'What is this?' },
    ]);
    expect(JSON.stringify(requests()[1]?.[0])).toBe(JSON.stringify(requests()[0]?.[0]));
  });

  test('are kept by reference, in slots and for people', async () => {
    world.model.answer(says('A plan.'));
    const plan = await sent('image', 'plan.png', png);
    await say('', plan);
    await world.settle();
    const slots = await world.slots();
    expect(JSON.stringify(slots)).not.toContain(base64(png));
    expect(slots[0]).toMatchObject({ input: [{ text: '', attachments: [plan] }] });
    const info = {
      hash: plan.hash,
      name: 'plan.png',
      mediaType: 'image/png',
      bytes: png.length,
      as: 'image',
      width: 30,
      height: 20,
    };
    expect(slots.flatMap(messagesOf)[0]).toEqual({
      id: `user-e${events}`,
      role: 'user',
      content: '[image "plan.png", 30×20]',
      attachments: [info],
    });
    expect(await world.events()).toContainEqual({
      type: 'CUSTOM',
      name: 'steploop.attached',
      value: { messageId: `user-e${events}`, attachments: [info] },
    });
  });

  test('are a document block for a PDF or a text, with the file name as title', async () => {
    world.model.answer(says('Read.'));
    const pdf = utf8('%PDF-1.7\n<< /Type /Page >>');
    await say(
      'Read these.',
      await sent('document', 'offer.pdf', pdf),
      await sent('document', 'naïve.md', utf8('# ☕')),
    );
    await world.settle();
    expect(first(requests()[0])).toEqual([
      { type: 'text', text: '[document "offer.pdf"]' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: base64(pdf) },
        title: 'offer.pdf',
      },
      { type: 'text', text: '[document "naïve.md"]' },
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: '# ☕' },
        title: 'naïve.md',
      },
      { type: 'text', text: 'Read these.' },
    ]);
  });

  test('that are gone from the store are named, and the run continues', async () => {
    world.model.answer(says('I see none.'));
    await say('Look.', { ...(await sent('image', 'plan.png', png)), hash: 'f'.repeat(64) });
    await world.settle();
    expect(texts(requests()[0]?.[0])).toContain(
      '[steploop] The image "plan.png" is not shown to you: it is not there any more.',
    );
  });

  test('under an id that was used for something else are a conflict; the same again is a duplicate', async () => {
    const plan = await sent('image', 'plan.png', png);
    const other = await sent('image', 'plan.png', pngOf(3, 3));
    const as = (attachments: Attachment[]) =>
      accept(world.key, { eventId: 'x', text: 'Look.', attachments }, world);
    expect(await as([plan])).toBe('accepted');
    expect(await as([plan])).toBe('duplicate');
    expect(await as([other])).toBe('conflict');
    expect(await accept(world.key, { eventId: 'x', text: 'Look.' }, world)).toBe('conflict');
  });
});

describe('a model with fewer input types', () => {
  test.each([
    [{ provider: 'openai' }, 'image', 'this model reads no images'],
    [{ provider: 'anthropic', accepts: ['document' as const] }, 'image', 'this model reads no images'],
    [{ provider: 'anthropic', accepts: [] }, 'document', 'this model reads no documents'],
  ])('%j reads that the %s is not shown', async (model, as, why) => {
    await open({ model: { name: 'm', ...model } }, says('Not seen.'));
    const bytes = as === 'image' ? png : utf8('%PDF-1.7\n<< /Type /Page >>');
    await say('Look.', await sent(as as 'image', 'x', bytes));
    await world.settle();
    const content = first(requests()[0]) ?? [];
    expect(content.map(({ type }) => type)).toEqual(['text', 'text', 'text']);
    expect(content[1]?.text).toBe(`[steploop] The ${as} "x" is not shown to you: ${why}.`);
  });

  test.each([{ provider: 'openai' }, { provider: 'anthropic', accepts: [] }])(
    '%j reads a text file as text',
    async (model) => {
      await open({ model: { name: 'm', ...model } }, says('Read.'));
      await say('Sum it up.', await sent('document', 'sales.csv', utf8('day,sum\nMon,3')));
      await world.settle();
      expect(first(requests()[0])).toEqual([
        { type: 'text', text: '[document "sales.csv"]' },
        { type: 'text', text: 'sales.csv:\nday,sum\nMon,3' },
        { type: 'text', text: 'Sum it up.' },
      ]);
    },
  );

  test('behind an OpenAI-compatible API sees the types in its definition', async () => {
    await open({ model: { name: 'm', provider: 'openai', accepts: ['image'] } }, says('Seen.'));
    await say('Look.', await sent('image', 'x', png));
    await world.settle();
    expect(first(requests()[0])?.[1]?.type).toBe('image');
  });
});

describe('the size of a request', () => {
  test('counts the tokens of shown images, and not the bytes of their reference', async () => {
    const { session, slots } = { session: (await world.view()).session, slots: await world.slots() };
    const pinned = await world.sessions.definition(world.key.tenant, session.definition);
    if (!pinned) throw new Error('no definition');
    const size = (attachments: Attachment[]) =>
      sizeOf({ slots, session, pinned, waiting: [{ text: 'Look.', attachments }] });
    const large = { ...(await sent('image', 'x', png)), width: 4_000, height: 3_000 };
    const pdf = await sent('document', 'x', utf8('%PDF-1.7\n<< /Type /Page >><< /Type /Page >>'));
    expect(size([large]) - size([])).toBeGreaterThan(1_600);
    expect(size([large]) - size([])).toBeLessThan(1_800);
    expect(size([pdf]) - size([])).toBeGreaterThan(6_000);
  });

  test('with more than 20 images allows no large one, and the first ones stay', async () => {
    world.model.answer(says('Many.'), says('More.'));
    const small = await Promise.all(
      Array.from({ length: 20 }, (_, i) => sent('image', `s${i}`, pngOf(10, 10, { salt: i }))),
    );
    await say('Look.', ...small);
    await world.settle();
    await say(
      'And these.',
      await sent('image', 'large', pngOf(2_001, 10)),
      await sent('image', 'small', pngOf(11, 10)),
    );
    await world.settle();
    const types = requests()[1]?.flatMap(({ content }) =>
      content.flatMap(({ type }) => (type === 'image' ? [type] : [])),
    );
    expect(types).toHaveLength(21);
    expect(JSON.stringify(requests()[1]?.[0])).toBe(JSON.stringify(requests()[0]?.[0]));
    expect(texts(requests()[1]?.[2])).toContain(
      '[steploop] The image "large" is not shown to you: of more than 20 none may be larger than 2000 pixels a side.',
    );
  });

  test('names attachments without room, and keeps the earlier ones', async () => {
    world.model.answer(says('Many.'));
    const heavy = await Promise.all(
      Array.from({ length: 7 }, async (_, i) => ({
        ...(await sent('image', `h${i}`, pngOf(9, 9, { salt: i }))),
        bytes: 3_700_000,
      })),
    );
    await say('Look.', ...heavy);
    await world.settle();
    const content = first(requests()[0]) ?? [];
    expect(content.filter(({ type }) => type === 'image')).toHaveLength(4);
    expect(JSON.stringify(content)).toContain('there is no room for more of them in this conversation');
  });
});

describe('a session with more images than a request allows', () => {
  const many = (n: number, from: number) =>
    Promise.all(
      Array.from({ length: n }, (_, i) => sent('image', `i${from + i}`, pngOf(10, 10, { salt: from + i }))),
    );
  const seenIn = (request: readonly Message[] = []) =>
    request.flatMap(({ content }) => content).filter(({ type }) => type === 'image').length;

  test('compacts before there is no room, and sees the new ones', async () => {
    world.model.answer(
      ...[1, 2, 3, 4].map((n) => says(`Seen ${n}.`)),
      says('Task: look at pictures.'),
      says('Seen 5.'),
    );
    for (const n of [0, 1, 2, 3, 4]) {
      await say(`Look, ${n}.`, ...(await many(20, 20 * n)));
      await world.settle();
    }
    const [last, summary] = [requests()[5], requests()[4]];
    expect(requests().map(seenIn)).toEqual([20, 40, 60, 80, 80, 40]);
    expect(JSON.stringify(summary?.at(-1))).toContain('leave your context');
    expect(JSON.stringify(last)).not.toContain('there is no room');
    const head = texts(last?.[0])?.join('\n');
    expect(head).toContain('Look, 0.');
    expect(head).toContain('The image "i0" is not shown to you: it was sent long ago');
    expect((await world.view()).session).toMatchObject({ state: 'completed' });
    const told = (await world.events()).flatMap((event) =>
      event.type === 'CUSTOM' && event.name === 'steploop.folded' ? [event.value] : [],
    );
    expect(told).toMatchObject([{ why: 'size' }]);
    expect(told[0]?.tokens.after).toBeLessThan(told[0]?.tokens.before ?? 0);
  });

  test('compacts by their bytes as well', async () => {
    const [seen, summary] = [says('Seen.'), says('Task: look.')];
    world.model.answer(seen, seen, summary, seen);
    const heavy = async (n: number, from: number) =>
      (await many(n, from)).map((one) => ({ ...one, bytes: 3_700_000 }));
    for (const [n, from] of [
      [2, 0],
      [1, 2],
      [1, 3],
    ] as const) {
      await say('Look.', ...(await heavy(n, from)));
      await world.settle();
    }
    expect(requests().map(seenIn)).toEqual([2, 3, 3, 2]);
  });

  test('compacts when one is large, since then only 20 are allowed', async () => {
    const [seen, summary] = [says('Seen.'), says('Task: look.')];
    world.model.answer(seen, seen, summary, seen);
    for (const n of [0, 9]) {
      await say('Look.', ...(await many(9, n)));
      await world.settle();
    }
    await say('And here.', await sent('image', 'large', pngOf(2_001, 10)));
    await world.settle();
    expect(requests().map(seenIn)).toEqual([9, 18, 18, 10]);
  });

  test('does not compact for a model that sees none, nor without a gain', async () => {
    await open({ model: { name: 'm', provider: 'openai' } }, says('None.'), says('None.'));
    for (const n of [0, 1]) {
      const heavy = (await many(7, n * 7)).map((one) => ({ ...one, bytes: 3_700_000 }));
      await say('Look.', ...heavy);
      await world.settle();
    }
    expect(requests().map(seenIn)).toEqual([0, 0]);
    await open({}, says('Four.'));
    await say('Look.', ...(await many(7, 0)).map((one) => ({ ...one, bytes: 3_700_000 })));
    await world.settle();
    expect(requests().map(seenIn)).toEqual([4]);
    expect((await world.view()).session).toMatchObject({ state: 'completed' });
  });

  test.each(['compact', 'sliding_window'] as const)(
    'A5, A6: compacts under %s, and a message without words has some',
    async (strategy) => {
      const script = Array.from({ length: 6 }, (_, n) => says(`Seen ${n}.`));
      await open({ guardrails: { context: { strategy } } }, ...script);
      for (const n of [0, 1, 2, 3, 4, 5]) {
        await say('', ...(await many(20, 20 * n)));
        await world.settle();
      }
      const blocks = requests().flatMap((request) => request.flatMap(({ content }) => content));
      expect(blocks.filter(({ type, text }) => type === 'text' && text === '')).toEqual([]);
      expect(JSON.stringify(requests())).not.toContain('there is no room');
      expect((await world.view()).session).toMatchObject({ state: 'completed' });
    },
  );
});

describe("an attachment that the model's server refuses", () => {
  test('is left out, and the run continues: the model is told', async () => {
    world.model.answer(says('Hello.'), refuses, says('I could not see it.'));
    await world.say('Hi.');
    await world.settle();
    await say('Look.', await sent('image', 'odd.png', png));
    await world.settle();
    expect((await world.view()).session).toMatchObject({ state: 'completed' });
    const last = requests()[2];
    expect(JSON.stringify(last)).not.toContain('base64');
    expect(texts(last?.at(-1))).toEqual([
      '[steploop] The image "odd.png" is not shown to you: the server of the model refused it.',
      'Look.',
    ]);
    expect(JSON.stringify(last?.slice(0, 2))).toBe(JSON.stringify(requests()[0]?.concat(last?.[1] ?? [])));
  });

  test('does not end a run if all attachments have been read before', async () => {
    world.model.answer(says('A plan.'), refuses);
    await say('Look.', await sent('image', 'plan.png', png));
    await world.settle();
    await world.say('And?');
    await world.settle();
    expect((await world.view()).session).toMatchObject({ state: 'error', reason: 'provider_error' });
    expect(world.model.requests).toHaveLength(2);
  });

  test('twice ends the run, as any other refusal, and later messages continue without', async () => {
    world.model.answer(refuses, refuses, says('Better.'));
    await say('Look.', await sent('image', 'odd.png', png));
    await world.settle();
    expect((await world.view()).session).toMatchObject({ state: 'error', reason: 'provider_error' });
    await world.say('Never mind.');
    await world.settle();
    expect(JSON.stringify(requests()[2])).not.toContain('base64');
    expect((await world.view()).session).toMatchObject({ state: 'completed' });
  });
});

describe('an image from a tool', () => {
  const shows = (make: () => unknown) =>
    defineTool({
      name: 'look',
      description: 'd',
      input: z.object({}),
      effect: 'read',
      approval: 'never',
      run: make,
    });

  test('is seen in the result, and kept by reference', async () => {
    await open(
      { tools: [shows(() => image({ bytes: png, name: 'shots/page.png' }))] },
      calls(['look', {}]),
      says('Blue.'),
    );
    await world.say('Look.');
    await world.settle();
    const [result] = requests()[1]?.[2]?.content ?? [];
    expect(result?.content).toEqual([
      { type: 'text', text: 'Shown.' },
      { type: 'text', text: '[image "page.png", 30×20]' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(png) } },
    ]);
    expect(JSON.stringify(await world.slots())).not.toContain(base64(png));
    const told = (await world.slots()).flatMap(messagesOf).find(({ role }) => role === 'tool');
    const attachments = [{ name: 'page.png', as: 'image' }];
    expect(told).toMatchObject({ content: 'Shown.', attachments });
    const events = await world.events();
    const at = events.findIndex(({ type }) => type === 'TOOL_CALL_RESULT');
    expect(events[at + 1]).toMatchObject({
      name: 'steploop.attached',
      value: { messageId: told?.id, attachments },
    });
  });

  test('goes with a value; an invalid one is reported, and the others are seen', async () => {
    const made = () =>
      withImages({ found: 2 }, [
        { bytes: png, name: 'a.png' },
        { bytes: utf8('no'), name: 'b.png' },
      ]);
    await open({ tools: [shows(made)] }, calls(['look', {}]), says('One.'));
    await world.say('Look.');
    await world.settle();
    const [result] = requests()[1]?.[2]?.content ?? [];
    const blocks = result?.content as { type: string; text?: string }[];
    expect(blocks[0]?.text).toMatch(/^\{"found":2\}\n"b\.png" is not shown\. It is not a whole image/);
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'text', 'image']);
  });

  test('with nothing valid is a failed call', async () => {
    await open(
      { tools: [shows(() => image({ bytes: utf8('no'), name: 'b.png' }))] },
      calls(['look', {}]),
      says('None.'),
    );
    await world.say('Look.');
    await world.settle();
    const [result] = requests()[1]?.[2]?.content ?? [];
    expect(result).toMatchObject({ is_error: true });
    expect(String(result?.content)).toMatch(/^Error \[failed\]: "b\.png" is not shown/);
  });

  test('is left out when the model’s server refuses it', async () => {
    const tools = [shows(() => image({ bytes: png, name: 'a.png' }))];
    await open({ tools }, calls(['look', {}]), refuses, says('Not seen.'));
    await world.say('Look.');
    await world.settle();
    expect((await world.view()).session).toMatchObject({ state: 'completed' });
    expect(JSON.stringify(requests()[2])).not.toContain('base64');
    expect(JSON.stringify(requests()[2])).toContain('the server of the model refused it');
  });
});
