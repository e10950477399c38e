/** The sample pages in a real browser, on their own origin: what any page can do with a stack. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, consoleBrowser } from '../support/browser.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type PatientModel, patientModel } from '../support/patient-model.ts';
import { openSample, type Site, sampleSite } from '../support/site.ts';

let model: PatientModel;
let world: Embedded;
let site: Site;
let browser: ConsoleBrowser;

beforeAll(async () => {
  model = await patientModel();
  [world, browser, site] = await Promise.all([
    embedded({ model }),
    consoleBrowser(),
    sampleSite(['react', 'vue'], ['plain']),
  ]);
}, 180_000);
afterAll(async () => {
  model?.goOn();
  await site?.[Symbol.asyncDispose]();
  await browser?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const open = (page: Page, sample: string) => openSample(page, site.url(sample), world);

/** How often the tool that needed approval has run. */
const paid = () => world.toolStarts.filter(({ name }) => name === 'transfer').length;

test.each(['plain', 'vue'])(
  '%s: a call is approved, and an answer is shown as it streams',
  async (sample) => {
    await using tab = await browser.tab();
    const { page } = tab;
    await open(page, sample);
    const before = paid();
    const say = async (text: string) => {
      await page.getByLabel('Message').fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    };
    await say('pay');
    await page.getByRole('button', { name: 'Approve' }).click();
    const talk = page.getByRole('list', { name: 'Conversation' });
    await talk.getByText('assistant: Done.').waitFor();
    expect(paid()).toBe(before + 1);
    await say('slowly');
    await talk.getByText('assistant: The beginning', { exact: true }).waitFor();
    model.goOn();
    await talk.getByText('assistant: The beginning and the end.').waitFor();
    expect(tab.complaints).toEqual([]);
  },
);

test('react: a session is started, streams, and is approved from the inbox, over one connection', async () => {
  await using tab = await browser.tab();
  const { page } = tab;
  const sockets: string[] = [];
  page.on('websocket', (socket) => sockets.push(socket.url()));
  await open(page, 'react');
  const session = page.getByRole('region', { name: 'Session', exact: true });
  const say = async (place: Page | typeof session, text: string) => {
    await place.getByLabel('Message').fill(text);
    await place.getByRole('button', { name: 'Send' }).click();
  };
  await say(page, 'pay');
  const before = paid();
  const inbox = page.getByRole('region', { name: 'Inbox' });
  await inbox.getByText('transfer').waitFor();
  await session.getByRole('article', { name: 'Asked' }).waitFor();
  await inbox.getByRole('button', { name: 'Approve' }).click();
  await session.getByText('assistant: Done.').waitFor();
  expect(paid()).toBe(before + 1);
  // The question is gone in both places.
  await page.getByRole('article', { name: 'Asked' }).first().waitFor({ state: 'detached' });
  await say(session, 'slowly');
  await session.getByText('assistant: The beginning', { exact: true }).waitFor();
  model.goOn();
  await session.getByText('assistant: The beginning and the end.').waitFor();
  await session.getByRole('status').getByText('completed, 3 steps').waitFor();
  await page.getByRole('navigation').getByText(': completed').first().waitFor();
  expect(sockets).toHaveLength(1);
  expect(tab.complaints).toEqual([]);
});

test('react: a run is stopped, another session is shown in its place, and none of a third one', async () => {
  await using tab = await browser.tab();
  const { page } = tab;
  const other = await world.start('of another page');
  await world.atRest(other);
  await open(page, 'react');
  await page.getByLabel('Message').fill('slowly');
  await page.getByRole('button', { name: 'Send' }).click();
  const session = page.getByRole('region', { name: 'Session', exact: true });
  await session.getByText('assistant: The beginning', { exact: true }).waitFor();
  await session.getByRole('button', { name: 'Stop' }).click();
  await session.getByRole('status').getByText('cancelled').waitFor();
  await page.getByRole('navigation').getByText('of another page').or(page.getByText(other)).first().click();
  await session.getByText('user: of another page').waitFor();
  expect(await session.getByText('The beginning').count()).toBe(0);
  expect(tab.complaints).toEqual([]);
});
