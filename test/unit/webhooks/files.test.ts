import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { type EnterContext, enter, mapped } from '../../../functions/webhooks/enter.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineWebhook, type Wakeup, type WakeupFile } from '../../../shared/agent/define/webhook.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { createEgress, type Internet } from '../../../shared/memory/egress.ts';
import { createOutbound } from '../../../shared/memory/outbound.ts';
import { type MemoryWorld, memoryWorld } from '../../../testing/memory-world.ts';
import { pngOf } from '../../support/images.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const png = pngOf(3, 2);
const base64 = Buffer.from(png).toString('base64');
const limits = { workspace: { files: 3, fileBytes: 1_000, bytes: 2_000 } };
const agent = defineAgent({ name: 'triage', version: '1', model: { name: 'm' }, system: 's', limits });

let world: MemoryWorld;
let asked: string[];
let internet: Internet;
let context: EnterContext;
beforeEach(() => {
  world = memoryWorld();
  asked = [];
  internet = () => new Response('found');
  const egress = createEgress(world.clock, (request) => {
    asked.push(request.url);
    return internet(request);
  });
  context = {
    io: { ...world, egress, outbound: createOutbound() },
    ...memoryEdge(world),
    agents: [agent],
    priceOf: async () => undefined,
  };
});

const wakeup = (...files: WakeupFile[]): Wakeup => ({
  agent: 'triage',
  sessionKey: 'k',
  message: 'It leaks.',
  files,
});
const give = (eventId: string, ...files: WakeupFile[]) =>
  enter({ tenant: 'acme', source: 'desk', eventId, at: 1 }, wakeup(...files), context);

/** The content of the session. */
async function given() {
  const key = { tenant: 'acme', sessionId: await sessionIdFor('hook', 'k') };
  const view = await world.sessions.read(key);
  return world.inbox.read(key, view?.fence.inbox ?? []);
}

/** The outcome of files. */
async function came(...files: WakeupFile[]) {
  expect(await give(randomUUID(), ...files)).toMatchObject({ kind: 'entered', accepted: 'accepted' });
  return (await given()).at(-1);
}

test('a mapping adds an image, a text and a link to its message', async () => {
  const event = await came(
    { name: 'screen.png', base64 },
    { name: 'error.log', text: 'It leaks.\n', folder: 'logs' },
    { name: 'found.txt', url: 'https://files.example.com/found.txt' },
  );
  expect(event?.text).toBe('It leaks.');
  expect(event?.attachments).toMatchObject([
    { as: 'image', name: 'screen.png', width: 3, height: 2 },
    { as: 'file', path: 'logs/error.log', bytes: 10 },
    { as: 'file', path: 'found.txt', bytes: 5 },
  ]);
  expect(asked).toEqual(['https://files.example.com/found.txt']);
});

test.each<[string, WakeupFile, string]>([
  [
    'is not in base64',
    { name: 'a.png', base64: '§' },
    '[file "a.png" did not come: It is not valid base64.]',
  ],
  [
    'is too large for the workspace',
    { name: 'a.txt', text: 'x'.repeat(1_001) },
    '[file "a.txt" did not come: It has 1001 bytes',
  ],
  ['has a link without TLS', { name: 'a', url: 'http://files.example.com/a' }, 'https://'],
  [
    'has a link to a private network',
    { name: 'a', url: 'https://169.254.169.254/latest' },
    'could not be fetched',
  ],
  ['has a link to this machine', { name: 'a', url: 'https://localhost/a' }, 'could not be fetched'],
  [
    'has a link with a password',
    { name: 'a', url: 'https://u:p@files.example.com/a' },
    'could not be fetched',
  ],
  ['has no link at all', { name: 'a', url: 'nowhere' }, 'https://'],
  ['has a path out of the workspace', { name: 'a', text: 'x', folder: '../..' }, 'did not come'],
])('a file that %s is named, and the message is accepted', async (_what, file, why) => {
  const event = await came(file);
  expect(event?.text).toMatch(/^It leaks\.\n\n\[file "a/);
  expect(event?.text).toContain(why);
  expect(event?.attachments).toBeUndefined();
  expect(asked).toEqual([]);
});

test("a server's answer other than a file is not quoted, nor the target of its redirect", async () => {
  for (const answer of [
    () => new Response('secret', { status: 403 }),
    () => new Response(null, { status: 302, headers: { location: 'http://10.0.0.1/secret' } }),
    () => {
      throw new Error('secret');
    },
  ]) {
    internet = answer;
    const event = await came({ name: 'a', url: 'https://files.example.com/a' });
    expect(event?.text).toContain('Its link could not be fetched');
    expect(event?.text).not.toMatch(/secret|10\.0|403/);
  }
  expect(new Set(asked)).toEqual(new Set(['https://files.example.com/a']));
});

test('a link that redirects to one without TLS gives nothing', async () => {
  internet = ({ url }) =>
    url.startsWith('https:')
      ? new Response(null, { status: 302, headers: { location: 'http://files.example.com/a' } })
      : new Response('written by an unknown person');
  const event = await came({ name: 'a', url: 'https://files.example.com/a' });
  expect(event?.attachments).toBeUndefined();
  expect(event?.text).toContain('Its link could not be fetched');
});

test('a cut message keeps its notes about files whole', async () => {
  const files: WakeupFile[] = [{ name: 'a.png', base64: '§' }];
  const long = { ...wakeup(...files), message: 'x'.repeat(200_000) };
  await enter({ tenant: 'acme', source: 'desk', eventId: 'e', at: 1 }, long, context);
  const [event] = await given();
  expect(event?.text.length).toBe(100_000);
  expect(event?.text).toContain('[cut: the whole has 200000 characters]\n\n[file "a.png"');
});

test('a delivery whose session was not woken is handled again, also if its link gives another file by then', async () => {
  const link: WakeupFile = { name: 'a.txt', url: 'https://files.example.com/a' };
  vi.spyOn(world.queue, 'send').mockRejectedValueOnce(new Error('SQS is away'));
  await expect(give('e', link)).rejects.toThrow('SQS is away');
  internet = () => new Response('another');
  expect(world.queue.visible()).toHaveLength(0);
  expect(await give('e', link)).toMatchObject({ accepted: 'duplicate' });
  expect(world.queue.visible()).toHaveLength(1);
  expect((await given()).map(({ attachments }) => attachments?.[0]?.bytes)).toEqual([5]);
});

test.each([
  ['bytes in an invalid format', [{ name: 'a' }]],
  ['no name', [{ text: 'x' }]],
  ['too many', Array(11).fill({ name: 'a', text: 'x' })],
  ['not a list', { name: 'a', text: 'x' }],
])('a mapping that returns files with %s has returned no wakeup', (_what, files) => {
  const source = defineWebhook({
    verify: { kind: 'github', secret: 'S' },
    map: () => ({ ...wakeup(), files }) as never,
  });
  const event = { name: '', deliveryId: '1', headers: {}, payload: {} };
  expect(mapped(source, event)).toMatchObject({ kind: 'failed', reason: 'mapping_invalid' });
});
