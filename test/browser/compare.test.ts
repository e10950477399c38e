/** An operator compares two sessions, and searches what was said in all of them, in a real browser. */

import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { barriers, type Tab, tooWide } from '../support/browser.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import type { Embedded } from '../support/embedded.ts';
import { apiError } from '../support/model-server.ts';
import { callTools, sayText } from '../support/rule-model.ts';

let it: ConsoleWorld;
let world: Embedded;
let tab: Tab;
/** Whether the model's server refuses the key. */
let isRevoked = true;
const ids = new Map<string, string>();
const idOf = (title: string) => String(ids.get(title));

beforeAll(async () => {
  it = await consoleWorld(({ lastText, messages, turn }) => {
    const said = JSON.stringify(messages[0]);
    if (said.includes('outage') && isRevoked)
      return apiError(401, 'authentication_error', 'invalid x-api-key');
    if (lastText.includes('be brief')) return sayText('Monday.');
    if (turn === 0 && said.includes('Look')) return callTools(['look', { n: said.includes('B-2') ? 2 : 41 }]);
    return sayText('The order was delivered on **Monday**.');
  });
  ({ world, tab } = it);
  for (const title of ['Look up order A-17', 'Look up order B-2', 'outage']) {
    ids.set(title, await world.start(title));
    await world.atRest(idOf(title));
  }
  const { body } = await world.api('GET', `/sessions/${idOf('Look up order A-17')}/steps`);
  const fork = { slot: body.steps[0].slots.at(-1), message: 'Please be brief.', title: 'A brief one' };
  const made = await world.api('POST', `/sessions/${idOf('Look up order A-17')}/fork`, fork);
  ids.set('fork', made.body.sessionId);
  await world.atRest(idOf('fork'));
  isRevoked = false;
  await world.api('POST', `/sessions/${idOf('outage')}/retry`);
  await it.signIn();
  await tab.page.getByRole('heading', { name: 'Sessions' }).waitFor();
}, 120_000);
afterAll(() => it?.[Symbol.asyncDispose]());

const at = (path?: string) => it.at(path);
const part = (name: string) => tab.page.getByRole('region', { name, exact: true });

/** The cells of a line of the figures. */
const figures = (name: string) =>
  part('Figures')
    .getByRole('row')
    .filter({ has: tab.page.getByRole('rowheader', { name, exact: true }) })
    .getByRole('cell')
    .allTextContents();

/** For the docs pages that show the console: `UPDATE_SCREENSHOTS=1 npx vitest run --project browser`. */
async function picture(name: string): Promise<void> {
  if (!process.env.UPDATE_SCREENSHOTS) return;
  await mkdir('docs/images', { recursive: true });
  await tab.page.screenshot({ path: `docs/images/console-${name}.png` });
}

test('two sessions that are chosen in the list are compared, down to the first difference', async () => {
  const { page } = tab;
  await page.getByRole('checkbox', { name: 'Select Look up order A-17' }).check();
  const bar = part('Selected sessions');
  expect(await bar.getByRole('link', { name: 'Compare' }).count()).toBe(0);
  await page.getByRole('checkbox', { name: 'Select Look up order B-2' }).check();
  await bar.getByRole('link', { name: 'Compare' }).click();
  await part('First difference').getByText('Step 1: New in the request').waitFor();
  await part('First difference').getByText('Look up order A-17').waitFor();
  await part('First difference').getByText('Look up order B-2').waitFor();
  expect(await figures('Ending')).toEqual(['Completed with an answer', 'Completed with an answer', '']);
  expect(await figures('Steps')).toEqual(['2', '2', '=']);
  await part('Last replies').getByText('delivered on Monday').nth(1).waitFor();
  expect(await part('Steps of both').getByRole('listitem').count()).toBeGreaterThanOrEqual(2);
  expect(page.url()).toContain(`a=${idOf('Look up order A-17')}&b=${idOf('Look up order B-2')}`);
});

test('a session leads to a comparison with its fork, whose shared steps are shown once', async () => {
  const { page } = tab;
  await page.goto(at(`/sessions/${idOf('Look up order A-17')}`));
  await page.getByRole('link', { name: 'Compare', exact: true }).click();
  await page.getByRole('button', { name: /Compare with fork A brief one/ }).press('Enter');
  await part('Steps of both').getByText('Shared by both').waitFor();
  await part('Figures').getByText('The first step is shared by both').waitFor();
  await part('First difference').getByText('Step 2 of A, Step 1 of B: New in the request').waitFor();
  await part('First difference').getByText('Please be brief.').waitFor();
  await part('Last replies').getByText('Monday.', { exact: true }).waitFor();
  await page.setViewportSize({ width: 1280, height: 1180 });
  await picture('compare');
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('a fork leads to a comparison with its origin', async () => {
  const { page } = tab;
  await page.goto(at(`/sessions/${idOf('fork')}`));
  await page.getByRole('link', { name: 'Compare with it' }).click();
  await part('Side A').getByText('Look up order A-17').waitFor();
  await part('Side B').getByText('A brief one').waitFor();
});

test('the runs before and after a retry are compared', async () => {
  const { page } = tab;
  await expect
    .poll(async () => (await world.api('GET', `/sessions/${idOf('outage')}`)).body.state)
    .toBe('completed');
  await page.goto(at(`/compare?a=${idOf('outage')}`));
  await page.getByRole('button', { name: 'Compare the last two runs' }).click();
  await part('Figures').waitFor();
  expect(await page.getByLabel('Run of A').inputValue()).not.toBe(
    await page.getByLabel('Run of B').inputValue(),
  );
  expect(await figures('Ending')).toEqual(['Not kept for earlier runs', 'Completed with an answer', '']);
  await page.getByLabel('Run of A').selectOption('');
  await expect
    .poll(() => figures('Ending'))
    .toEqual(['Completed with an answer', 'Completed with an answer', '']);
});

test('an unknown session is refused with a message, and another one can be entered', async () => {
  const { page } = tab;
  await page.goto(at(`/compare?a=${idOf('fork')}&b=s-nowhere`));
  await part('Side B').getByRole('alert').getByText('No such session').waitFor();
  await page.getByRole('button', { name: 'Change B' }).click();
  await page.getByLabel('Session id of B').fill(idOf('Look up order B-2'));
  await page.getByLabel('Session id of B').press('Enter');
  await part('First difference').getByText('Look up order B-2').waitFor();
});

test('a text is found in calls, results and messages, and the page says what was searched', async () => {
  const { page } = tab;
  await page.goto(at());
  await page.getByLabel('Search titles').fill('order');
  await page.getByRole('link', { name: 'Search messages and calls' }).click();
  await page.getByLabel('Text to find').fill('"n":41');
  await page.getByLabel('Text to find').press('Enter');
  await page.getByRole('status').getByText('Found in 2 of 4 sessions. All sessions').waitFor();
  const found = page.getByRole('list', { name: 'Sessions found' });
  await found.getByText('Call of look').first().waitFor();
  expect((await found.getByRole('link').allTextContents()).sort()).toEqual([
    'A brief one',
    'Look up order A-17',
  ]);
  await picture('search');
  await page.getByLabel('Text to find').fill('no such thing');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('status').getByText('Found in 0 of 4 sessions.').waitFor();
  expect(page.url()).toMatch(/text=no(%20|\+)such/);
  // Another filter leaves nothing of an earlier search.
  await page.getByLabel('State').selectOption('error');
  await page.getByText('Found in 0 of 4 sessions.').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('status').getByText('There are no sessions to search.').waitFor();
});

test('a search is stopped, tells what it has covered, and goes on from there', async () => {
  const { page } = tab;
  const held: (() => void)[] = [];
  let isHeld = true;
  await page.route(/\/messages\?/, async (route) => {
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  await page.goto(at('/search?text=delivered'));
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect.poll(() => held.length).toBe(3);
  await page.getByRole('status').getByText('Searching …').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  isHeld = false;
  for (const letGo of held) letGo();
  await page
    .getByRole('status')
    .getByText(/of 3 sessions .*Older sessions were not searched/)
    .waitFor();
  await page.getByRole('button', { name: 'Search older sessions' }).click();
  await page.getByRole('status').getByText('All sessions').waitFor();
  await page.unroute(/\/messages\?/);
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('the pages meet WCAG AA: %s, %i px wide', async (colorScheme, width) => {
  const { page } = tab;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(at(`/compare?a=${idOf('Look up order A-17')}&b=${idOf('fork')}`));
  await part('First difference').getByText('Please be brief.').waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await page.goto(at('/search?text=delivered'));
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('status').getByText('All sessions').waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
});

test('sessions are chosen, compared and deleted on a phone', async () => {
  const { page } = tab;
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(at());
  await page.getByText('More filters', { exact: true }).click();
  await page.getByLabel('State').selectOption('completed');
  expect(await barriers(page)).toEqual([]);
  await page.getByText('More filters (1 set)').click();
  await page.getByRole('checkbox', { name: 'Select all loaded sessions' }).check();
  await part('Selected sessions').getByText('4 selected').waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.getByRole('checkbox', { name: 'Select outage' }).check();
  await page.getByRole('checkbox', { name: 'Select A brief one' }).check();
  await part('Selected sessions').getByRole('link', { name: 'Compare' }).waitFor();
  await page.getByRole('checkbox', { name: 'Select outage' }).uncheck();
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('button', { name: 'Delete 1 session permanently' }).click();
  await page.getByRole('dialog').getByText('1 of 1 deleted.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: /A brief one/ }).waitFor({ state: 'hidden' });
});

test('nothing on the pages violates their own policy, and only the unknown session was missing', () => {
  expect(tab.complaints.filter((complaint) => !complaint.includes('s-nowhere'))).toEqual([]);
});
