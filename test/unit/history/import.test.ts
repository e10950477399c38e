import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { RouteContext } from '../../../functions/routes/context.ts';
import { exportSession, postImport } from '../../../functions/routes/history.ts';
import { readMessages } from '../../../functions/routes/reads.ts';
import { listSteps } from '../../../functions/routes/steps.ts';
import { toMessages } from '../../../shared/agent/context/messages.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { ExportedBody, ImportedBody, MessagesBody, StepsBody } from '../../../shared/contract/answers.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { pngOf } from '../../support/images.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const agent = defineAgent({
  ...{ name: 'helper', version: '1', system: 'Help.', tools: [] },
  model: { name: 'claude-sonnet-4-5' },
});
const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };
const bob: Identity = { ...ada, subject: 'user:bob' };

const messages = [
  { role: 'user', content: 'Where is order 7?\nIt is late.' },
  {
    role: 'assistant',
    content: 'Looking.',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"order":7}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'In Oslo.' },
  { role: 'assistant', content: 'It is in Oslo.' },
];
const openai = (list: readonly unknown[] = messages) => ({
  agent: 'helper',
  history: { format: 'openai', messages: list },
});

/** The routes over in-memory ports; `world` may be made to fail. */
function edge(world: MemoryWorld = memoryWorld()) {
  const context = {
    ...memoryEdge(world),
    ...{ io: world, agents: [agent], priceOf: async () => undefined },
  } as unknown as RouteContext;
  const post = async (body: unknown, key?: string, caller = ada) => {
    const event = {
      headers: key === undefined ? {} : { 'idempotency-key': key },
      body: JSON.stringify(body),
    };
    const answer = await postImport(event as unknown as APIGatewayProxyEventV2, caller, context);
    return ImportedBody.parse(JSON.parse(answer.body ?? ''));
  };
  const get = async (route: typeof exportSession, sessionId: string, query: Record<string, string>) => {
    const event = { pathParameters: { sessionId }, queryStringParameters: query };
    const { body } = await route(event as unknown as APIGatewayProxyEventV2, ada, context);
    return JSON.parse(body ?? '');
  };
  return { world, post, get };
}

const refusal = (status: number, title: string, detail: RegExp | string) => ({
  problem: { status, title, detail: expect.stringMatching(detail) },
});

describe('POST /sessions/import', () => {
  test('creates an idle session that is listed, and shows the conversation', async () => {
    const { world, post, get } = edge();
    const imported = await post({ ...openai(), metadata: { from: 'old' } });
    expect(imported).toMatchObject({ slots: 3, duplicate: false });
    const { sessionId } = imported;
    const view = await world.sessions.read({ tenant: 'acme', sessionId });
    expect(view).toMatchObject({
      session: { state: 'idle', version: 3, user: 'user:ada' },
    });
    expect(view?.dueAt).toBeUndefined();
    const { sessions } = await world.listings.page('acme', { limit: 10, user: 'user:ada' });
    expect(sessions).toMatchObject([
      { sessionId, title: 'Where is order 7?', state: 'idle', metadata: { from: 'old' }, agent: 'helper' },
    ]);
    const page = MessagesBody.parse(await get(readMessages, sessionId, {}));
    expect(page.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const { steps } = StepsBody.parse(await get(listSteps, sessionId, {}));
    expect(steps).toMatchObject([
      { slots: [0, 1], imported: true, costUsd: 0, calls: [{ id: 'c1', outcome: 'ok' }] },
      { slots: [2], imported: true },
    ]);
    // A client that follows it from its beginning is told to read the messages.
    expect(await world.log.read({ tenant: 'acme', sessionId }, 0, 10)).toMatchObject([
      { seq: 1, event: { name: 'steploop.snapshot_needed' } },
    ]);
    const exported = ExportedBody.parse(await get(exportSession, sessionId, { format: 'openai' }));
    expect(exported).toEqual({ format: 'openai', messages });
  });

  test('with a first message starts a run at once', async () => {
    const { world, post } = edge();
    const { sessionId, eventId } = await post({ ...openai(), message: 'And order 8?' }, 'k1');
    const view = await world.sessions.read({ tenant: 'acme', sessionId });
    expect(view).toMatchObject({ fence: { inbox: [eventId] }, dueAt: expect.any(Number) });
    expect(await post({ ...openai(), message: 'And order 8?' }, 'k1')).toMatchObject({ duplicate: true });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'that died at its write %i is completed by its repetition, and a different one is refused',
    async (dies) => {
      const world = memoryWorld();
      let writes = 0;
      const dying =
        <Args extends unknown[], T>(write: (...args: Args) => Promise<T>) =>
        async (...args: Args): Promise<T> => {
          if (++writes === dies) throw new Error('died');
          return write(...args);
        };
      const { sessions, listings, log } = world;
      const { post, get } = edge({
        ...world,
        sessions: {
          ...sessions,
          putResult: dying(sessions.putResult),
          putSlot: dying(sessions.putSlot),
          putDefinition: dying(sessions.putDefinition),
          create: dying(sessions.create),
        },
        log: { ...log, append: dying(log.append) },
        listings: { ...listings, moved: dying(listings.moved), page: listings.page },
      });
      await expect(post(openai(), 'k1')).rejects.toThrow('died');
      const other = openai([{ role: 'user', content: 'Something else.' }]);
      // Before anything is stored, the key is free.
      if (dies > 1)
        await expect(post(other, 'k1')).rejects.toMatchObject(refusal(422, 'Idempotency-Key reused', 'key'));
      const { sessionId } = await post(openai(), 'k1');
      expect(await get(exportSession, sessionId, { format: 'openai' })).toMatchObject({ messages });
      expect((await listings.page('acme', { limit: 10 })).sessions).toHaveLength(1);
      await expect(post(other, 'k1')).rejects.toMatchObject(refusal(422, 'Idempotency-Key reused', 'key'));
    },
  );

  test('of two different ones at once under one key creates the complete session of one', async () => {
    const { post, get } = edge();
    const long = Array.from({ length: 50 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: `${i}`,
    }));
    const both = await Promise.allSettled([post(openai(long), 'k1'), post(openai(), 'k1')]);
    const [made] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { messages: told } = await get(exportSession, made?.sessionId ?? '', { format: 'openai' });
    expect([long, messages]).toContainEqual(told);
  });

  test('under a key that another user has used for the same is refused', async () => {
    const { post } = edge();
    await post(openai(), 'k1');
    await expect(post(openai(), 'k1', bob)).rejects.toMatchObject(
      refusal(422, 'Idempotency-Key reused', 'key'),
    );
  });

  test('stores images as the session’s own, and refuses invalid ones', async () => {
    const { world, post } = edge();
    const url = `data:image/png;base64,${Buffer.from(pngOf(3, 2)).toString('base64')}`;
    const image = (at: string) => [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: at } }] },
    ];
    const { sessionId } = await post(openai(image(url)));
    const key = { tenant: 'acme', sessionId };
    const slots = (await world.sessions.slots(key, 0)).map(({ slot }) => slot);
    expect(slots).toMatchObject([
      { input: [{ text: '', attachments: [{ as: 'image', width: 3, height: 2 }] }] },
    ]);
    expect(toMessages(slots, [])).toHaveLength(1);
    const broken = image('data:image/png;base64,AAAA');
    await expect(post(openai([...messages, ...broken]))).rejects.toMatchObject(
      refusal(400, 'Unusable history', /^messages\[4\]: "image" cannot be imported as image/),
    );
  });

  test.each<[string, unknown, string, RegExp]>([
    ['an orphaned result', openai(messages.slice(2)), 'Unusable history', /messages\[0\]: .*c1/],
    ['nothing', openai([{ role: 'system', content: 'Be kind.' }]), 'Unusable history', /no text/],
    ['no messages', openai([]), 'Invalid body', /./],
    ['too many', openai(Array.from({ length: 5_001 }, () => messages[0])), 'Invalid body', /./],
    [
      'nested too deep',
      openai([JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)]),
      'Invalid body',
      /levels/,
    ],
  ])('refuses %s with a sentence', async (_, body, title, detail) => {
    const { world, post } = edge();
    const refused = await post(body).catch((error) => error);
    expect(refused).toMatchObject({ problem: { status: 400, title } });
    expect(JSON.stringify(refused.problem.detail ?? refused.problem.errors)).toMatch(detail);
    expect((await world.listings.page('acme', { limit: 10 })).sessions).toEqual([]);
  });

  test('to an unknown agent is 404', async () => {
    const { post } = edge();
    await expect(post({ ...openai(), agent: 'unknown' })).rejects.toMatchObject({ problem: { status: 404 } });
  });
});

describe('GET /sessions/{sessionId}/export', () => {
  test('of a fork includes the slots that it shares', async () => {
    const { world, post, get } = edge();
    const key = { tenant: 'acme', sessionId: (await post(openai())).sessionId };
    const session = (await world.sessions.read(key))?.session;
    if (!session) throw new Error('it was not made');
    const fork = { tenant: 'acme', sessionId: 'fork1' };
    const origin = [{ sessionId: key.sessionId, below: 2 }];
    await world.sessions.create({ ...session, key: fork, version: 2, origin });
    const exported = await get(exportSession, fork.sessionId, { format: 'openai' });
    expect(exported).toMatchObject({ messages: messages.slice(0, 3) });
  });

  test('splits a conversation that exceeds a response into pages, each with every call next to its result', async () => {
    const { post, get } = edge();
    const long = Array.from({ length: 12 }, (_, i) => [
      { role: 'user', content: `${i} ${'u'.repeat(100_000)}` },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `c${i}`, type: 'function', function: { name: 'find', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: `c${i}`, content: 'r'.repeat(200_000) },
      { role: 'assistant', content: 'Done.' },
    ]).flat();
    const { sessionId } = await post(openai(long));
    for (const format of ['openai', 'anthropic', 'ai-sdk']) {
      const pages: object[][] = [];
      for (let from: string | undefined = '0'; from !== undefined; ) {
        const page = ExportedBody.parse(await get(exportSession, sessionId, { format, from }));
        pages.push(page.messages);
        from = page.next;
      }
      expect(pages.length, format).toBeGreaterThan(1);
      if (format === 'openai') expect(pages.flat()).toEqual(long);
      for (const page of pages) {
        const again = await post({ agent: 'helper', history: { format, messages: page } });
        expect(again.slots, format).toBeGreaterThan(0);
      }
    }
  });
});
