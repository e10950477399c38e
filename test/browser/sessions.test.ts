/** The console's lists in a real browser: sessions, the inbox of questions across them, and the steps of one. */

import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { barriers, type Tab, tooWide } from '../support/browser.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import type { Embedded } from '../support/embedded.ts';
import { callTools, sayText } from '../support/rule-model.ts';

let it: ConsoleWorld;
let world: Embedded;
let tab: Tab;

beforeAll(async () => {
  it = await consoleWorld(({ messages, turn }) => {
    const said = JSON.stringify(messages[0]);
    if (turn === 0 && said.includes('Refund')) return callTools(['transfer', { n: 7 }]);
    if (turn === 0 && said.includes('Paint'))
      return callTools(['ask_user', { question: 'Which colour?', options: ['Blue', 'Red & white'] }]);
    if (turn === 0 && said.includes('Look')) return callTools(['look', { n: 41 }]);
    return sayText('The order **A-17** was delivered on Monday.');
  });
  ({ world, tab } = it);
  await it.signIn();
}, 120_000);
afterAll(() => it?.[Symbol.asyncDispose]());

const at = (path?: string) => it.at(path);

/** For the docs pages that show the console: `UPDATE_SCREENSHOTS=1 npx vitest run --project browser`. */
async function picture(name: string): Promise<void> {
  if (!process.env.UPDATE_SCREENSHOTS) return;
  await mkdir('docs/images', { recursive: true });
  await tab.page.screenshot({ path: `docs/images/console-${name}.png` });
}

test('a session appears in the list by itself, and sessions that wait for people stand out', async () => {
  const { page } = tab;
  const list = page.getByRole('region', { name: 'Sessions' });
  await world.start('Look up order A-17');
  await list.getByRole('row', { name: /Completed.*Look up order A-17/ }).waitFor();
  await world.start('Refund order A-17');
  await list.getByRole('row', { name: /Waiting for people.*Refund order A-17/ }).waitFor();
  await picture('sessions');
});

test('the list is filtered by text and state, and the address says so', async () => {
  const { page } = tab;
  const list = page.getByRole('region', { name: 'Sessions' });
  await page.getByLabel('State').selectOption('completed');
  await list.getByRole('link', { name: /Refund/ }).waitFor({ state: 'hidden' });
  await list.getByRole('link', { name: /Look up/ }).waitFor();
  expect(page.url()).toContain('state=completed');
  await page.getByLabel('Search titles').fill('nothing like it');
  await list.getByText('None.').waitFor();
  await page.goto(at());
});

test('a step opens to its request, its reply and the outcome of its calls', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: /Look up order A-17/ }).click();
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByRole('button', { name: /Step 1.*look/ }).click();
  await steps.getByText('New in the request').waitFor();
  await steps.getByText('Look up order A-17').waitFor();
  await steps.getByText(/look: ok/).waitFor();
  await steps.getByText('"ok": true').waitFor();
  await steps.getByRole('term').filter({ hasText: 'time to first token' }).waitFor();
  await picture('session');
});

test('the timeline shows steps and their calls over time, beside the conversation', async () => {
  const { page } = tab;
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByRole('button', { name: 'Timeline' }).click();
  const lines = steps.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await expect.poll(() => lines.allTextContents()).toHaveLength(3);
  const words = await lines.allTextContents();
  expect(words.map((line) => /^(Step \d|look)/.exec(line)?.[0])).toEqual(['Step 1', 'look', 'Step 2']);
  await page.getByRole('region', { name: 'Conversation' }).getByText('was delivered').waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await steps.getByRole('button', { name: 'Timeline' }).click();
  await steps.getByRole('button', { name: /Step 1.*look/ }).waitFor();
});

test('a question that offers answers is answered with one click', async () => {
  const { page } = tab;
  const id = await world.start('Paint the door');
  await page.goto(at(`/sessions/${id}`));
  const asked = page.getByRole('region', { name: 'Asked: ask_user' });
  const choices = asked.getByRole('group', { name: 'Answers to choose from' }).getByRole('button');
  await expect.poll(() => choices.allTextContents()).toEqual(['Blue', 'Red & white']);
  expect(await barriers(page)).toEqual([]);
  await choices.last().click();
  await page.getByRole('status').getByText('Completed').first().waitFor();
  expect(JSON.stringify(await world.messages(id))).toContain('Red & white');
});

test('questions are decided in the inbox, across sessions', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Now' }).click();
  const inbox = page.getByRole('region', { name: 'Inbox' });
  await inbox.getByRole('link', { name: 'Refund order A-17' }).waitFor();
  await inbox.getByText('n: 7').waitFor();
  await picture('now');
  await inbox.getByLabel('Note').fill('not this one');
  await inbox.getByRole('button', { name: 'Refuse' }).click();
  await inbox.getByText('Nothing is waiting for people.').waitFor();
  expect(world.toolStarts.filter(({ name }) => name === 'transfer')).toEqual([]);
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const)('the pages meet WCAG AA: %s, %i px wide', async (colorScheme, width) => {
  const { page } = tab;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(at());
  await page.getByRole('link', { name: /Look up/ }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole('link', { name: /Look up/ }).click();
  const step = page.getByRole('button', { name: /Step 1/ });
  await step.focus();
  await step.press('Enter');
  await page.getByText('Reply', { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole('link', { name: 'Now' }).click();
  await page.getByRole('heading', { name: 'Cost by agent' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
});

test('a session is started on the page', async () => {
  const { page } = tab;
  await page.goto(at());
  await page.getByRole('button', { name: 'New session' }).click();
  await page.getByRole('dialog').getByLabel('Agent').selectOption('worker');
  await page.getByRole('dialog').getByLabel('Message').fill('Hello');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('region', { name: 'Conversation' }).getByText('was delivered').waitFor();
  expect(page.url()).toContain('/console/sessions/');
});

test('nothing on the pages violates their own policy', () => {
  // A page may ask for a wait that is decided meanwhile.
  const gone = /status of 404 .*\/waits\/[0-9a-f]+\)$/;
  expect(tab.complaints.filter((complaint) => !gone.test(complaint))).toEqual([]);
});
