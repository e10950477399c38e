import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { keyOfUpload } from '../../../functions/attachments/key.ts';
import { serveAgui } from '../../../functions/routes/agui.ts';
import { withLinks } from '../../../functions/routes/agui-shown.ts';
import type { PageContext } from '../../../functions/routes/page-arrivals.ts';
import { eventIdOf } from '../../../functions/routes/page-arrivals.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { toSnapshot } from '../../../shared/agent/events/snapshot.ts';
import { contentOf } from '../../../shared/contract/ag-ui-parts.ts';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { createEgress } from '../../../shared/memory/egress.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { refused } from '../../support/ag-ui.ts';
import { pngOf } from '../../support/images.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const data = (value: string, mimeType: string) => ({ type: 'data', value, mimeType });
const png = pngOf(3, 2);
const base64 = Buffer.from(png).toString('base64');
const image = { type: 'image', source: data(base64, 'image/png'), metadata: { name: 'plan.png' } };

test.each<[string, unknown, unknown]>([
  ['a text', 'plain', { text: 'plain', media: [] }],
  [
    'texts',
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    { text: 'a\nb', media: [] },
  ],
  [
    'an image',
    [image],
    {
      text: '',
      media: [{ as: 'image', name: 'plan.png', mediaType: 'image/png', source: { kind: 'base64', base64 } }],
    },
  ],
  [
    'a link to a document of unknown kind',
    [{ type: 'document', source: { type: 'url', value: 'https://example.com/a' } }],
    {
      text: '',
      media: [{ as: 'document', name: 'document', source: { kind: 'url', url: 'https://example.com/a' } }],
    },
  ],
  [
    'a data URL',
    [{ type: 'image', source: { type: 'url', value: 'data:image/png;base64,eA==', mimeType: 'image/png' } }],
    {
      text: '',
      media: [
        {
          as: 'image',
          name: 'image.png',
          mediaType: 'image/png',
          source: { kind: 'base64', base64: 'eA==' },
        },
      ],
    },
  ],
  [
    'an audio upload, which models do not hear',
    [{ type: 'audio', source: { type: 'file', value: 'u1', mimeType: 'audio/mpeg' } }],
    {
      text: '',
      media: [
        { as: 'file', name: 'audio.mpeg', mediaType: 'audio/mpeg', source: { kind: 'upload', id: 'u1' } },
      ],
    },
  ],
  [
    'a document that models do not read',
    [{ type: 'document', source: data('eA==', 'application/msword') }],
    {
      text: '',
      media: [
        {
          as: 'file',
          name: 'document.msword',
          mediaType: 'application/msword',
          source: { kind: 'base64', base64: 'eA==' },
        },
      ],
    },
  ],
  [
    'a binary part of AG-UI before 1.0',
    [{ type: 'binary', mimeType: 'text/plain', data: 'eA==', filename: 'a.txt' }],
    {
      text: '',
      media: [
        {
          as: 'document',
          name: 'a.txt',
          mediaType: 'text/plain',
          source: { kind: 'base64', base64: 'eA==' },
        },
      ],
    },
  ],
  ['an image without a source', [{ type: 'text', text: 'a' }, { type: 'image' }], undefined],
  ['a source of another kind', [{ type: 'image', source: { type: 'ftp', value: 'x' } }], undefined],
  ['a part of another kind', [{ type: 'smell', source: data('eA==', 'x/y') }], undefined],
  ['nothing', [null], undefined],
  ['no content', undefined, undefined],
])('the content of a message with %s', (_what, content, said) => {
  expect(contentOf(content)).toEqual(said);
});

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };
const key = { tenant: 'acme', sessionId: 't1' };
const agent = defineAgent({ name: 'worker', version: '1', model: { name: 'm' }, system: 's', tools: [] });

let world: MemoryWorld;
let context: PageContext;
let asked: string[];
beforeEach(() => {
  world = memoryWorld();
  asked = [];
  const egress = createEgress(world.clock, ({ url }) => {
    asked.push(url);
    return new Response(new Uint8Array(png));
  });
  context = {
    io: { ...world, egress },
    ...memoryEdge(world),
    watchMs: 1,
    decide: async () => undefined,
    agents: [agent],
    priceOf: async () => undefined,
  };
});

const say = (content: unknown, id = 'm1', as = ada) =>
  serveAgui(
    {
      rawPath: '/agui/worker',
      headers: {},
      body: JSON.stringify({ threadId: 't1', runId: 'r1', messages: [{ id, role: 'user', content }] }),
      isBase64Encoded: false,
    } as unknown as APIGatewayProxyEventV2,
    as,
    0,
    context,
  );
const problem = (content: unknown, id?: string) => say(content, id).catch((error) => error.problem);
async function given() {
  const view = await world.sessions.read(key);
  return world.inbox.read(key, view?.fence.inbox ?? []);
}

describe('a message of AG-UI', () => {
  test('brings its bytes, with or without text', async () => {
    await say([image]);
    expect(await given()).toMatchObject([
      { text: '', attachments: [{ as: 'image', name: 'plan.png', width: 3, height: 2, bytes: png.length }] },
    ]);
  });

  test('brings a link, which is fetched through the egress guard', async () => {
    const link = (value: string) => [
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'url', value } },
    ];
    await say(link('https://example.com/plan.png'));
    expect(await given()).toMatchObject([{ text: 'Look.', attachments: [{ as: 'image' }] }]);
    for (const inwards of [
      'https://10.0.0.1/a',
      'http://example.com/a',
      'https://localhost/a',
      'file:///etc',
    ])
      expect(await problem(link(inwards), inwards)).toMatchObject({ status: 422, title: 'Unusable upload' });
    expect(asked).toEqual(['https://example.com/plan.png']);
  });

  test('brings an upload, and releases it when another part is refused', async () => {
    await context.uploads.announce('acme', { id: 'u1', name: 'plan.png', by: 'user:ada' });
    await world.blobs.putBytes(keyOfUpload('acme', 'u1'), png);
    const upload = { type: 'image', source: { type: 'file', value: 'u1' } };
    const bad = { type: 'image', source: data('eA==', 'image/png') };
    expect(await problem([upload, bad])).toMatchObject({
      status: 422,
      detail: expect.stringContaining('"image.png" cannot be sent as image. It is not a whole image'),
    });
    expect(await given()).toEqual([]);
    await say([upload], 'm2');
    expect(await given()).toMatchObject([{ attachments: [{ name: 'plan.png' }] }]);
    const bob = { ...ada, subject: 'user:bob' };
    await expect(say([upload], 'm3', bob)).rejects.toMatchObject({ problem: { status: 404 } });
  });

  test.each<[string, unknown, number]>([
    ['a part that AG-UI does not have', [{ type: 'smell' }], 400],
    ['nothing', [], 400],
    ['more parts than a message may have', Array(21).fill(image), 400],
    ['invalid base64', [{ type: 'image', source: data('§', 'image/png') }], 422],
  ])('with %s is refused, and no run begins', async (_what, content, status) => {
    expect(await problem(content)).toMatchObject({ status });
    expect(await world.sessions.read(key)).toBeUndefined();
  });

  test('is stored once, also when its client resends it as a snapshot showed it', async () => {
    const text = { type: 'text', text: 'Look.' };
    await say([image, text]);
    const [{ attachments = [] } = {}] = await given();
    const [shown] = toSnapshot([], [{ text: 'Look.', eventId: eventIdOf('m1'), attachments }]);
    if (!shown) throw new Error('nothing is shown');
    const again: AgUiEvent = { type: 'MESSAGES_SNAPSHOT', messages: [shown] };
    const { messages } = (await withLinks(again, key, context.links)) as { messages: { content: unknown }[] };
    await say([image, text]);
    await say(messages[0]?.content);
    expect(await given()).toHaveLength(1);
    expect(asked).toEqual([]);
    expect(await problem([image, { type: 'text', text: 'Look there.' }])).toMatchObject({ status: 422 });
  });

  test('whose session was not notified notifies it when its client resends it', async () => {
    vi.spyOn(world.queue, 'send').mockRejectedValueOnce(new Error('SQS is away'));
    await expect(say([image])).rejects.toThrow('SQS is away');
    expect(world.queue.visible()).toHaveLength(0);
    await say([image]);
    expect(world.queue.visible()).toHaveLength(1);
  });
});

test('a snapshot shows attachments as parts with links, in the shape of the stock client, and leaves files out', async () => {
  const attachments = ['image', 'document', 'file'].map((as, n) => ({
    ...{ hash: String(n).repeat(64), bytes: 1, mediaType: 'x/y', name: as },
    as: as as 'image',
  }));
  const messages = toSnapshot([], [{ text: 'Look.', eventId: 'e1', attachments }]);
  const event: AgUiEvent = { type: 'MESSAGES_SNAPSHOT', messages };
  const shown = (await withLinks(event, key, context.links)) as AgUiEvent;
  expect(shown).toMatchObject({
    messages: [
      {
        id: 'user-e1',
        content: [
          { type: 'image', source: { type: 'url', value: expect.stringMatching(/^http/), mimeType: 'x/y' } },
          { type: 'document', metadata: { name: 'document' } },
          { type: 'text', text: 'Look.' },
        ],
        metadata: { attachments },
      },
    ],
  });
  // The stock client drops this part, and warns.
  expect('messages' in shown && shown.messages[0]).not.toHaveProperty('attachments');
  const run = { threadId: 't1', runId: 'r1' };
  expect(
    await refused([
      { type: 'RUN_STARTED', ...run },
      shown,
      { type: 'RUN_FINISHED', ...run, outcome: { type: 'success' } } as AgUiEvent,
    ]),
  ).toBeUndefined();
});
