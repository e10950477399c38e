import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { zipSync } from 'fflate';
import { beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { addMessage, createSession } from '../../../functions/routes/arrivals.ts';
import { linkAttachment } from '../../../functions/routes/attachments.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { announceUpload } from '../../../functions/routes/uploads.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import type { Attachment } from '../../../shared/agent/session/attachments.ts';
import { contentKey } from '../../../shared/agent/workspace/content.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { UPLOAD_MS } from '../../../shared/edge/uploads.ts';
import { createLinks, type MemoryLinks } from '../../../shared/memory/links.ts';
import { createOutbound } from '../../../shared/memory/outbound.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { pngOf } from '../../support/images.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };
const bob: Identity = { ...ada, subject: 'user:bob' };
const eve: Identity = { ...ada, tenant: 'globex' };
const png = pngOf(3, 2);
const limits = { workspace: { files: 3, fileBytes: 1_000, bytes: 2_000 } };
const agent = defineAgent({ name: 'worker', version: '1', model: { name: 'm' }, system: 's', limits });

let world: MemoryWorld;
let links: MemoryLinks;
let context: RouteContext;
beforeEach(() => {
  world = memoryWorld();
  links = createLinks(world.blobs, world.clock);
  context = {
    io: { ...world, outbound: createOutbound() },
    ...memoryEdge(world),
    links,
    agents: [agent],
    webhooks: {},
    priceOf: async () => undefined,
  } as RouteContext;
});

/** The result of a route, or its refusal. */
async function ask(route: Route, body: unknown, { as = ada, path = {}, key = '' } = {}) {
  const event = {
    headers: key ? { 'idempotency-key': key } : {},
    pathParameters: path,
    body: JSON.stringify(body),
  } as unknown as APIGatewayProxyEventV2;
  try {
    const { statusCode, body: said } = await route(event, as, context);
    return { status: statusCode, ...JSON.parse(said ?? '') };
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
}

async function upload(bytes: Uint8Array, { as = ada, name = 'plan.png', send = bytes } = {}) {
  const { id, url, headers } = await ask(
    announceUpload,
    { name, mediaType: 'image/png', bytes: bytes.length },
    { as },
  );
  if (send.length > 0) await links.fetch(url, { method: 'PUT', headers, body: new Uint8Array(send) });
  return id as string;
}

const start = (message: unknown, how: Parameters<typeof ask>[2] = {}) =>
  ask(createSession, { agent: 'worker', message }, how);

/** The content of the session's inbox. */
async function arrived(sessionId: string) {
  const key = { tenant: 'acme', sessionId };
  const view = await world.sessions.read(key);
  const events = await world.inbox.read(key, view?.fence.inbox ?? []);
  return events.map(({ text, attachments }) => ({ text, attachments }));
}

test('an upload arrives with the message, with the type that its bytes have', async () => {
  const id = await upload(png, { name: '../../my "plan".png' });
  const { status, sessionId } = await start([
    { type: 'image', upload: id },
    { type: 'text', text: ' What is this? ' },
  ]);
  expect(status).toBe(201);
  const [message] = await arrived(sessionId);
  expect(message).toEqual({
    text: 'What is this?',
    attachments: [
      {
        hash: expect.any(String),
        bytes: png.length,
        mediaType: 'image/png',
        width: 3,
        height: 2,
        name: 'my _plan_.png',
        as: 'image',
      },
    ],
  });
  const hash = message?.attachments?.[0]?.hash ?? '';
  expect(await world.blobs.getBytes(contentKey({ tenant: 'acme', sessionId }, hash))).toEqual(png);
});

test('a message may consist of attachments only; its text parts become one text', async () => {
  const alone = await start([{ type: 'image', upload: await upload(png) }]);
  expect(await arrived(alone.sessionId)).toMatchObject([{ text: '' }]);
  const texts = await start([
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two' },
  ]);
  expect(await arrived(texts.sessionId)).toEqual([{ text: 'one\n\ntwo', attachments: undefined }]);
});

test.each([
  ['no parts', []],
  ['21 parts', Array.from({ length: 21 }, () => ({ type: 'text', text: 'x' }))],
  ['an empty text', [{ type: 'text', text: ' ' }]],
  [
    'texts that are too long together',
    Array.from({ length: 2 }, () => ({ type: 'text', text: 'x'.repeat(50_000) })),
  ],
  ['bytes in the message', [{ type: 'image', data: 'aGk=' }]],
  ['a URL', [{ type: 'image', upload: 'u1', url: 'https://example.com/x.png' }]],
  ['an unknown kind', [{ type: 'video', upload: 'u1' }]],
  ['a path for an image', [{ type: 'image', upload: 'u1', path: 'x' }]],
])('400: %s', async (_what, message) => {
  expect(await start(message)).toMatchObject({ status: 400, title: 'Invalid body' });
});

test.each([
  ['no bytes', { name: 'a', mediaType: 'image/png', bytes: 0 }],
  ['too many bytes', { name: 'a', mediaType: 'image/png', bytes: 20_000_001 }],
  ['half a byte', { name: 'a', mediaType: 'image/png', bytes: 1.5 }],
  ['no name', { name: '', mediaType: 'image/png', bytes: 1 }],
  [
    'a type with an appended header',
    { name: 'a', mediaType: 'image/png\r\nx-amz-acl: public-read', bytes: 1 },
  ],
  ['no type', { name: 'a', mediaType: 'png', bytes: 1 }],
])('400 for an upload of %s', async (_what, body) => {
  expect(await ask(announceUpload, body)).toMatchObject({ status: 400, title: 'Invalid body' });
});

describe('refused, and nothing was stored', () => {
  const parts = (id: string, type = 'image', more = {}) => [{ type, upload: id, ...more }];

  test('404: an upload that does not exist, or belongs to another person or tenant, or has expired', async () => {
    const none = { status: 404, title: 'No such upload' };
    expect(await start(parts('u1'))).toMatchObject(none);
    const id = await upload(png);
    expect(await start(parts(id), { as: bob })).toMatchObject(none);
    expect(await start(parts(id), { as: eve })).toMatchObject(none);
    await world.clock.advance(UPLOAD_MS);
    expect(await start(parts(id))).toMatchObject(none);
  });

  test('404: an unknown session, before anything is stored for it', async () => {
    const id = await upload(png);
    const message = { message: parts(id) };
    expect(await ask(addMessage, message, { path: { sessionId: 'nope' } })).toMatchObject({
      title: 'No such session',
    });
    expect((await start(parts(id))).status).toBe(201);
  });

  test('409: bytes that have not arrived, or differ from the announced ones', async () => {
    const unsent = { status: 409, title: 'Upload not finished' };
    const id = await upload(png, { send: new Uint8Array() });
    expect(await start(parts(id))).toMatchObject(unsent);
    expect(
      await start(parts(await upload(png, { send: utf8('more than was announced'.repeat(50)) }))),
    ).toMatchObject(unsent);
  });

  test('409: an upload that another message used; the same message resent under its key uses it again', async () => {
    const id = await upload(png);
    const first = await start(parts(id), { key: 'k1' });
    expect(first.status).toBe(201);
    expect(await start(parts(id), { key: 'k1' })).toMatchObject({
      status: 201,
      sessionId: first.sessionId,
      duplicate: true,
    });
    expect(await start(parts(id), { key: 'k2' })).toMatchObject({ status: 409, title: 'Upload used before' });
    expect(await start(parts(id))).toMatchObject({ status: 409, title: 'Upload used before' });
  });

  test('422: unusable content, with a sentence; the other uploads can be sent again', async () => {
    const [good, bad] = [await upload(png), await upload(utf8('no image'), { name: 'b.png' })];
    const both = await start([...parts(good), ...parts(bad)]);
    expect(both).toMatchObject({ status: 422, title: 'Unusable upload' });
    expect(both.detail).toMatch(/^"b\.png" cannot be sent as image\. It is not a whole image/);
    expect((await start(parts(good))).status).toBe(201);
  });

  test('422: a key that was used for another upload', async () => {
    expect((await start(parts(await upload(png)), { key: 'k1' })).status).toBe(201);
    const other = await start(parts(await upload(pngOf(9, 9))), { key: 'k1' });
    expect(other).toMatchObject({ status: 422, title: 'Idempotency-Key reused' });
  });

  test.each([
    ['out of the workspace', '../../etc/passwd', /leads out of the workspace/],
    ['with control characters', 'a\u0000b', /has characters that no file/],
    ['to the workspace itself', '/workspace', /is the workspace itself/],
  ])('422: a path %s', async (_where, path, why) => {
    const answer = await start(parts(await upload(utf8('x')), 'file', { path }));
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.detail).toMatch(why);
  });

  test('422: a file that is too large for the agent’s workspace', async () => {
    const answer = await start(parts(await upload(new Uint8Array(1_001)), 'file'));
    expect(answer.detail).toMatch(/It has 1001 bytes: a file of this agent's workspace has at most 1000/);
  });

  test.each([
    ['no archive', png, /It is not a zip archive/],
    ['a bomb', zipSync({ bomb: new Uint8Array(1_001) }), /"bomb" has 1001 bytes/],
    [
      'many files',
      zipSync({ a: utf8('a'), b: utf8('b'), c: utf8('c'), d: utf8('d') }),
      /It has 4 files; at most 3/,
    ],
    [
      'a file with a path outside',
      zipSync({ '../../x': utf8('x') }),
      /"\.\.\/\.\.\/x" is not a valid file path/,
    ],
    ['an absolute path', zipSync({ '/etc/passwd': utf8('x') }), /"\/etc\/passwd" is not a valid file path/],
    ['a Windows path', zipSync({ 'a\\b': utf8('x') }), /is not a valid file path/],
    ['a file below a file', zipSync({ a: utf8('x'), 'a/b': utf8('y') }), /is below a path that is a file/],
  ])('422: to be unpacked, and %s', async (_what, bytes, why) => {
    const answer = await start(parts(await upload(bytes), 'file', { unpack: true }));
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.detail).toMatch(why);
  });
});

describe('a file', () => {
  const sent = async (bytes: Uint8Array, part: object): Promise<Attachment | undefined> => {
    const id = await upload(bytes, { name: 'notes.txt' });
    const { sessionId } = await start([{ type: 'file', upload: id, ...part }]);
    const [message] = await arrived(sessionId);
    lastKey = { tenant: 'acme', sessionId };
    return message?.attachments?.[0];
  };
  let lastKey = { tenant: '', sessionId: '' };

  test.each([
    [undefined, 'notes.txt'],
    ['docs/', 'docs/notes.txt'],
    ['docs/read.me', 'docs/read.me'],
    ['/workspace/x', 'x'],
  ])('sent to %j is stored at %j', async (path, where) => {
    expect(await sent(utf8('hello'), { ...(path && { path }) })).toMatchObject({
      as: 'file',
      path: where,
      mediaType: 'text/plain',
    });
  });

  test('that is an archive is unpacked: its files and their list become content', async () => {
    const zip = zipSync({ 'src/b.ts': utf8('b'), 'src/a.ts': utf8('a'), 'src/': new Uint8Array() });
    const archive = await sent(zip, { path: 'repo', unpack: true });
    expect(archive).toMatchObject({ as: 'file', path: 'repo', unpacked: { files: 2, bytes: 2 } });
    const list = await world.blobs.get(contentKey(lastKey, archive?.unpacked?.list ?? ''));
    const files = JSON.parse(list ?? '[]');
    expect(files).toMatchObject([
      { path: 'repo/src/a.ts', bytes: 1 },
      { path: 'repo/src/b.ts', bytes: 1 },
    ]);
    expect(await world.blobs.get(contentKey(lastKey, files[0].hash))).toBe('a');
  });
});

describe('GET /sessions/{sessionId}/attachments/{hash}', () => {
  test('links to attachments, in their own session and tenant only', async () => {
    const { sessionId } = await start([{ type: 'image', upload: await upload(png) }]);
    const other = await start('Hello.');
    const hash = (await arrived(sessionId))[0]?.attachments?.[0]?.hash ?? '';
    const get = (id: string, as = ada, of = hash) =>
      ask(linkAttachment, {}, { as, path: { sessionId: id, hash: of } });
    const link = await get(sessionId);
    expect(link).toMatchObject({ status: 200, name: 'plan.png', mediaType: 'image/png' });
    expect(new Uint8Array(await (await links.fetch(link.url)).arrayBuffer())).toEqual(png);
    expect(await get(other.sessionId)).toMatchObject({ status: 404, title: 'No such attachment' });
    expect(await get(sessionId, eve)).toMatchObject({ status: 404, title: 'No such session' });
    for (const wrong of ['../../x', 'f'.repeat(64), hash.toUpperCase(), ''])
      expect(await get(sessionId, ada, wrong)).toMatchObject({ status: 404, title: 'No such attachment' });
  });

  test('makes a browser save a file, and never display it', async () => {
    const id = await upload(utf8('<script>alert(1)</script>'), { name: 'x.html' });
    const { sessionId } = await start([{ type: 'file', upload: id }]);
    const hash = (await arrived(sessionId))[0]?.attachments?.[0]?.hash ?? '';
    const { url } = await ask(linkAttachment, {}, { path: { sessionId, hash } });
    const { headers } = await links.fetch(url);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="x\.html"/);
  });
});
