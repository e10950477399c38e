/** `useChat` of the AI SDK in a real browser, on a page of another origin: a chat as a person sees it. */

import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { type ConsoleBrowser, consoleBrowser, type Tab } from '../support/browser.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { pngOf } from '../support/images.ts';
import { messageStart, openBlock, text } from '../support/model-events.ts';
import { stall } from '../support/model-server.ts';
import { callTools, type RuleModel, ruleModel, sayText, sayTextHeld } from '../support/rule-model.ts';

const root = fileURLToPath(new URL('../support/chat-page', import.meta.url));
let model: RuleModel;
let world: Embedded;
let browser: ConsoleBrowser;
let tab: Tab;
let page: Page;
let site: Server;
let folder: string;
let chatId: string;
let release = Promise.withResolvers<void>();
let killed = 0;
let isRevoked = false;

beforeAll(async () => {
  model = await ruleModel(({ messages, lastText, turn }) => {
    const said = String(messages[0]?.content[0]?.text ?? '');
    if (isRevoked) return refuseKey;
    if (lastText === 'look' && turn === 0) {
      isRevoked = true;
      return callTools(['look', { n: 1 }]);
    }
    if (lastText === 'talk') return stall([messageStart(), ...openBlock(text('On ', 'and ', 'on'), 0)]);
    if (lastText === 'hold') return sayTextHeld('The beginning', release.promise, ' and the end.');
    if (lastText === 'die' && killed === 0) {
      setTimeout(() => (killed = world.stack.kill('AgentsStepsStep')), 1_500);
      return stall([messageStart(), ...openBlock(text('Half of ', 'an ans'), 0)]);
    }
    if (said === 'pay' && turn === 0) return callTools(['transfer', { n: 7, to: 'x'.repeat(9_000) }]);
    if (lastText.endsWith('paint') && turn === 0) return callTools(['paint', {}]);
    if (said === 'ask' && turn === 0) return callTools(['ask_user', { question: 'Which colour?' }]);
    return sayText('You said: ', lastText || 'what a tool said', '.');
  });
  folder = await mkdtemp(join(tmpdir(), 'chat-page-'));
  const building = build({
    ...{ root, logLevel: 'error', configFile: false, plugins: [react()] },
    resolve: {
      conditions: ['@steploop/source', 'module', 'browser', 'development|production'],
      alias: { 'steploop/ai-sdk': fileURLToPath(new URL('../../web/ai-sdk/index.ts', import.meta.url)) },
    },
    build: { outDir: folder, emptyOutDir: true, target: 'es2022', minify: false },
  });
  [world, browser] = await Promise.all([
    embedded({ model, leaseSeconds: 3, variables: { [env.WATCH_SECONDS]: '3' } }),
    consoleBrowser(),
  ]);
  await building;
  site = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    const body = await readFile(join(folder, path === '/' ? 'index.html' : path)).catch(() => undefined);
    response.writeHead(body ? 200 : 404, { 'content-type': type }).end(body);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  tab = await browser.tab();
  ({ page } = tab);
}, 120_000);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  site?.close();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const refuseKey: ReturnType<typeof sayText> = async (response) => {
  const error = { type: 'authentication_error', message: 'The key was revoked.' };
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error }));
};

beforeEach(async () => {
  release = Promise.withResolvers();
  chatId = crypto.randomUUID();
  await open('worker');
});

async function open(agent: string): Promise<void> {
  const { port } = site.address() as AddressInfo;
  const query = new URLSearchParams({
    url: String(world.stack.outputs.ChatUrl),
    token: world.token,
    id: chatId,
    agent,
  });
  await page.goto(`http://127.0.0.1:${port}/?${query}`);
  await page.getByLabel('Message').waitFor();
}

async function say(words: string): Promise<void> {
  await page.getByLabel('Message').fill(words);
  await page.getByRole('button', { name: 'Send' }).click();
}
/** Resolves when the chat is at rest. */
const ready = (status = 'ready') =>
  page.getByRole('status').filter({ hasText: status }).waitFor({ timeout: 30_000 });
/** An element of the page, since these tests are checked without the browser's own types. */
interface Article {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<Article>;
}
/** The authors and texts that the page shows. */
const shown = () =>
  page
    .getByRole('article')
    .evaluateAll((articles) =>
      (articles as unknown as readonly Article[]).map((one) => [
        one.getAttribute('aria-label'),
        ...[...one.querySelectorAll('[data-part=text], [data-part=call]')].map(
          ({ textContent }) => textContent,
        ),
      ]),
    );
const session = () => world.session(chatId);

test('a chat continues turn by turn, shows what it costs, and is there after a reload', async () => {
  await say('hello');
  await page.getByText('You said: hello.').waitFor();
  await ready();
  await page.getByText(/^[\d.e-]+ USD$/).waitFor();
  await say('again');
  await page.getByText('You said: again.').waitFor();
  const all = await shown();
  expect(all).toEqual([
    ['user', 'hello'],
    ['assistant', 'You said: hello.'],
    ['user', 'again'],
    ['assistant', 'You said: again.'],
  ]);
  await ready();
  await page.reload();
  await page.getByText('You said: again.').waitFor();
  expect(await shown()).toEqual(all);
});

test('an answer continues after a reload in the middle of it, and the reload stops nothing', async () => {
  await say('hold');
  await page.getByText('The beginning').waitFor();
  await page.reload();
  await page.getByText('The beginning').waitFor();
  // A page that only watches is told after a while to come again, and continues in the middle of the sentence.
  await page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/stream'));
  release.resolve();
  await page.getByText('The beginning and the end.').waitFor();
  await ready();
  expect(await shown()).toEqual([
    ['user', 'hold'],
    ['assistant', 'The beginning and the end.'],
  ]);
  expect(await session()).toMatchObject({ state: 'completed', run: { steps: 1 } });
});

test('Stop ends the run, and the chat continues from there', async () => {
  await say('talk');
  await page.getByText('On and on').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await ready();
  expect(await world.atRest(chatId)).toMatchObject({ state: 'cancelled' });
  await say('hello');
  await page.getByText('You said: hello.').waitFor();
  expect((await shown()).map(([role]) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('text of a killed step is not repeated', async () => {
  await say('die');
  await page.getByText('Half of an ans').waitFor();
  await page.getByText('You said: die.').waitFor({ timeout: 30_000 });
  await ready();
  expect(killed).toBe(1);
  expect(await shown()).toEqual([
    ['user', 'die'],
    ['assistant', 'You said: die.'],
  ]);
});

test('an approval shows the whole input, counts, and is still asked after a reload', async () => {
  await say('pay');
  await page.getByRole('region', { name: 'Approval' }).waitFor();
  await ready();
  await page.reload();
  const asked = page.getByRole('region', { name: 'Approval' });
  expect(JSON.parse((await asked.locator('pre').textContent()) ?? '')).toEqual({
    n: 7,
    to: 'x'.repeat(9_000),
  });
  await asked.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('You said: what a tool said.').waitFor();
  await ready();
  expect(await shown()).toEqual([
    ['user', 'pay'],
    ['assistant', 'On it. ', 'tool-transfer output-available', 'You said: what a tool said.'],
  ]);
  expect(world.toolStarts.filter(({ name }) => name === 'transfer')).toHaveLength(1);
});

test('a denied call is not run, and is shown as denied', async () => {
  const before = world.toolStarts.length;
  await say('pay');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('You said: what a tool said.').waitFor();
  await page.getByText('tool-transfer output-denied').waitFor();
  expect(world.toolStarts.slice(before)).toEqual([]);
  expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('Not now');
});

test('a question is answered with the output of its call', async () => {
  await say('ask');
  await page.getByRole('button', { name: 'Which colour?' }).click();
  await page.getByText('You said: what a tool said.').waitFor();
  await ready();
  expect(JSON.stringify(model.asked.at(-1)?.messages.at(-1))).toContain('Blue');
  expect(await shown()).toEqual([
    ['user', 'ask'],
    ['assistant', 'On it. ', 'tool-ask_user output-available', 'You said: what a tool said.'],
  ]);
});

test('the model sees a picture that is sent, and the page sees one from a tool, also after a reload', async () => {
  await open('painter');
  const png = Buffer.from(pngOf(3, 2));
  await page.getByLabel('Files').setInputFiles({ name: 'sent “A”.png', mimeType: 'image/png', buffer: png });
  await say('paint');
  await page.getByText('You said: ').waitFor();
  await ready();
  expect(model.asked.at(-2)?.messages[0]?.content).toContainEqual(
    expect.objectContaining({
      type: 'image',
      source: expect.objectContaining({ data: png.toString('base64') }),
    }),
  );
  /** Width and height of the images on the page, as the browser decoded them. */
  const sizes = async () => {
    const images = page.getByRole('img');
    await expect.poll(() => images.count()).toBe(2);
    return Promise.all(
      (await images.all()).map((one) =>
        one.evaluate(async (element) => {
          const it = element as unknown as {
            decode(): Promise<void>;
            naturalWidth: number;
            naturalHeight: number;
          };
          await it.decode();
          return [it.naturalWidth, it.naturalHeight];
        }),
      ),
    );
  };
  expect(await sizes()).toEqual([
    [3, 2],
    [4, 3],
  ]);
  await page.reload();
  await page.getByText('You said: ').waitFor();
  expect(await sizes()).toEqual([
    [3, 2],
    [4, 3],
  ]);
  await page.getByRole('img', { name: 'sent “A”.png' }).waitFor();
});

test('an error of the run is the error of the chat; a retry continues from there, and no answer is repeated', async () => {
  await say('look');
  await page.getByRole('alert').filter({ hasText: 'The key was revoked.' }).waitFor();
  await ready('error');
  isRevoked = false;
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('You said: [steploop] Your last run ended').waitFor();
  await ready();
  const all = await shown();
  expect(all).toEqual([
    ['user', 'look'],
    ['assistant', 'On it. ', 'tool-look output-available', expect.stringContaining('You said')],
  ]);
  await page.reload();
  await page.getByText('You said').waitFor();
  expect(await shown()).toEqual(all);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'Send a new message, or edit the message in a fork' })
    .waitFor();
  await say('and now?');
  await page.getByText(/You said: .*and now\?\./s).waitFor();
});

test('the browser blocks nothing on a page of another origin', () => {
  // The browser also reports the requests that the server refused above.
  expect(tab.complaints.filter((said) => !said.includes('409'))).toEqual([]);
});
