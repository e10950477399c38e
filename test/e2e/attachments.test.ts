import { expect, test } from 'vitest';
import { httpClient } from '../../web/client/index.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { pngOf } from '../support/images.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';

/** Sends bytes as a browser does: announces the upload, then puts them to the link. */
async function upload(world: Embedded, name: string, mediaType: string, bytes: Uint8Array): Promise<string> {
  const announced = await world.api('POST', '/uploads', { name, mediaType, bytes: bytes.length });
  expect(announced.status).toBe(201);
  const { id, url, headers } = announced.body;
  const put = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  expect(put.status).toBe(200);
  return id;
}

test('the client uploads a file, sends it with a message, and gets a link to it', async () => {
  await using model = await ruleModel(() => sayText('A picture.'));
  await using world = await embedded({ model });
  const client = httpClient({ httpUrl: world.stack.outputs.HttpUrl ?? '', token: world.token });
  const png = pngOf(3, 2);

  const upload = await client.upload(new File([new Uint8Array(png)], 'plan.png', { type: 'image/png' }));
  const { sessionId } = await client.createSession({ agent: 'worker', message: [{ type: 'image', upload }] });
  await world.atRest(sessionId);

  const [asked] = await client.messages(sessionId);
  const [attachment] = (asked?.role === 'user' && asked.attachments) || [];
  expect(attachment).toMatchObject({ name: 'plan.png', mediaType: 'image/png' });
  const { url } = await client.attachment(sessionId, attachment?.hash ?? '');
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(Buffer.from(png));
});

test('the model sees an uploaded image now and in the next step, and history has its name', async () => {
  await using model = await ruleModel(() => sayText('A picture.'));
  await using world = await embedded({ model });
  const png = pngOf(3, 2);

  const id = await upload(world, 'plan “A”.png', 'image/png', png);
  const message = [
    { type: 'image', upload: id },
    { type: 'text', text: 'What is this?' },
  ];
  const started = await world.api('POST', '/sessions', { agent: 'worker', message });
  expect(started.status).toBe(201);
  const { sessionId } = started.body;
  await world.atRest(sessionId);
  await world.api('POST', `/sessions/${sessionId}/messages`, { message: 'And in colour?' });
  await expect.poll(() => model.asked.length).toBe(2);
  await world.atRest(sessionId);

  const data = Buffer.from(png).toString('base64');
  const [first, second] = model.asked.map(({ messages }) => messages[0]?.content);
  expect(first).toMatchObject([
    { type: 'text', text: '[image "plan “A”.png", 3×2]' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    { type: 'text', text: 'What is this?' },
  ]);
  const unmarked = (blocks: typeof first) =>
    blocks?.map(({ cache_control: _, ...block }: Record<string, unknown>) => block);
  expect(unmarked(second)).toEqual(unmarked(first));

  const [asked] = await world.messages(sessionId);
  expect(JSON.stringify(asked)).not.toContain(data);
  expect(asked).toMatchObject({
    role: 'user',
    content: 'What is this?',
    attachments: [
      { name: 'plan “A”.png', mediaType: 'image/png', bytes: png.length, as: 'image', width: 3, height: 2 },
    ],
  });
  const { hash } = (asked as { attachments: { hash: string }[] }).attachments[0] ?? { hash: '' };
  const link = await world.api('GET', `/sessions/${sessionId}/attachments/${hash}`);
  const got = await fetch(link.body.url);
  expect(got.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await got.arrayBuffer())).toEqual(Buffer.from(png));
});
