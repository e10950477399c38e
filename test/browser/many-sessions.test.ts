/** An operator compares, finds and handles many sessions at once on the console, in a real browser. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionRow } from '../../shared/contract/listing.ts';
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

beforeAll(async () => {
  it = await consoleWorld(({ lastText, messages, turn }) => {
    const said = JSON.stringify(messages[0]);
    if (said.includes('outage') && isRevoked)
      return apiError(401, 'authentication_error', 'invalid x-api-key');
    if (turn === 0 && said.includes('Refund')) return callTools(['transfer', { n: 7 }]);
    return sayText(`Done: ${lastText.length}.`);
  });
  ({ world, tab } = it);
  for (const title of ['outage one', 'outage two', 'outage three', 'a good one']) {
    ids.set(title, await world.start(title));
    await world.atRest(String(ids.get(title)));
  }
  ids.set('Refund', await world.start('Refund order A-17'));
  await it.signIn();
}, 120_000);
afterAll(() => it?.[Symbol.asyncDispose]());

const at = (path?: string) => it.at(path);
const list = () => tab.page.getByRole('region', { name: 'Sessions', exact: true });

/** Titles in the table, from the top. */
const titles = () => list().getByRole('row').getByRole('link').allTextContents();

test('columns are chosen, and stay chosen after the page is loaded again', async () => {
  const { page } = tab;
  await list().getByRole('columnheader', { name: 'Agent' }).waitFor();
  await page.getByText('Columns', { exact: true }).first().click();
  await page.getByRole('checkbox', { name: 'Agent' }).uncheck();
  await list().getByRole('columnheader', { name: 'Agent' }).waitFor({ state: 'hidden' });
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: 'Agent' }).waitFor({ state: 'hidden' });
  await page.reload();
  await list().getByRole('columnheader', { name: 'Tokens' }).waitFor();
  expect(await list().getByRole('columnheader', { name: 'Agent' }).count()).toBe(0);
});

test('after an outage, failed sessions are retried together, once the effect has been shown', async () => {
  const { page } = tab;
  await page.getByLabel('Search titles').fill('o');
  await list()
    .getByRole('row', { name: /Failed.*outage two/ })
    .waitFor();
  await page.getByLabel('Search titles').fill('');
  await list()
    .getByRole('row', { name: /Completed.*a good one/ })
    .waitFor();
  await page.getByRole('checkbox', { name: 'Select all loaded sessions' }).check();
  await page.getByRole('region', { name: 'Selected sessions' }).getByText('5 selected').waitFor();
  await page.getByRole('button', { name: 'Retry …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry 3 sessions' });
  await dialog.getByText('continues where the last one ended').waitFor();
  await dialog.getByText('2 sessions of the selection are left out').waitFor();
  expect(await barriers(page)).toEqual([]);
  // One cannot be retried any more, because another operator deletes it meanwhile.
  expect(await world.api('DELETE', `/sessions/${ids.get('outage three')}`)).toMatchObject({ status: 202 });
  isRevoked = false;
  await dialog.getByRole('button', { name: 'Retry 3 sessions' }).click();
  await dialog.getByText('2 of 3 retried, 1 failed.').waitFor();
  await dialog.getByRole('region', { name: 'Failed' }).getByRole('link', { name: 'outage three' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await list()
    .getByRole('row', { name: /Completed.*outage one/ })
    .waitFor();
  await list()
    .getByRole('row', { name: /Completed.*outage two/ })
    .waitFor();
  expect(await world.atRest(String(ids.get('outage one')))).toMatchObject({ state: 'completed' });
});

test('a waiting session is stopped, and sessions at rest are deleted, by keyboard', async () => {
  const { page } = tab;
  await page.goto(at());
  await page.getByRole('checkbox', { name: 'Select Refund order A-17' }).press('Space');
  await page.getByRole('button', { name: 'Stop …' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop 1 session' }).press('Enter');
  await page.getByRole('dialog').getByText('1 of 1 stopped.').waitFor();
  await page.keyboard.press('Escape');
  await list()
    .getByRole('row', { name: /Stopped.*Refund/ })
    .waitFor();

  await page.getByRole('checkbox', { name: 'Select a good one' }).press('Space');
  await page.getByRole('button', { name: 'Delete …' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete 1 session' });
  await dialog.getByText('deleted permanently').waitFor();
  expect(await world.api('GET', `/sessions/${ids.get('a good one')}`)).toMatchObject({ status: 200 });
  await dialog.getByRole('button', { name: 'Delete 1 session permanently' }).press('Enter');
  await dialog.getByText('1 of 1 deleted.').waitFor();
  await page.keyboard.press('Escape');
  await list()
    .getByRole('row', { name: /a good one/ })
    .waitFor({ state: 'hidden' });
  expect(await world.api('GET', `/sessions/${ids.get('a good one')}`)).toMatchObject({ status: 404 });
});

test('a view is saved, its link carries the filters, and it brings back columns and sorting', async () => {
  const { page } = tab;
  await page.goto(at());
  await page.getByLabel('State').selectOption('completed');
  await list().getByRole('button', { name: 'Cost' }).click();
  await page.getByText('Views', { exact: true }).click();
  await page.getByLabel('Name of the view').fill('Dear answers');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const link = page.getByRole('link', { name: 'Dear answers' });
  expect(await link.getAttribute('href')).toMatch(/state=completed.*sort=cost/);
  expect(await barriers(page)).toEqual([]);

  await page.goto(at());
  await page.getByText('Columns', { exact: true }).first().click();
  await page.getByRole('checkbox', { name: 'Cost' }).uncheck();
  await page.getByText('Views', { exact: true }).click();
  await link.click();
  await list().getByRole('columnheader', { name: 'Cost' }).waitFor();
  expect(page.url()).toContain('sort=cost');
  await page.getByRole('button', { name: 'Delete view Dear answers' }).click();
  await page.getByText('No saved views yet.').waitFor();
});

/** A listed session: the n-th has cost n cents, modulo 100, and has run for n seconds. */
const rowOf = (n: number): SessionRow => ({
  ...{ sessionId: `s${n}`, agent: 'worker', state: 'completed', title: `Order ${n}`, source: 'http' },
  ...{ steps: n, createdAt: '2026-01-01T00:00:00.000Z', movedAt: '2026-01-01T00:00:00.000Z' },
  totals: { input: n, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: (n % 100) / 100 },
  ...(n % 50 !== 0 && { ranMs: n * 1_000 }),
});

test('the dearest and longest sessions are found among the loaded ones, and the page says which those are', async () => {
  const { page } = tab;
  let pages = 0;
  await page.route(/\/sessions\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    if (query.has('state')) return route.fulfill({ json: { sessions: [] } });
    pages = Math.max(pages, Number(query.get('cursor') ?? 0) / 50 + 1);
    const from = Number(query.get('cursor') ?? 0);
    const sessions = Array.from({ length: 50 }, (_, i) => rowOf(from + i));
    return route.fulfill({ json: { sessions, ...(from < 950 && { next: String(from + 50) }) } });
  });
  await page.goto(at('?cost=0.98'));
  await page.getByText('4 of the 200 most recently active sessions.').waitFor();
  expect(pages).toBe(4);
  await list().getByRole('button', { name: 'Duration' }).click();
  await expect.poll(titles).toEqual(['Order 199', 'Order 198', 'Order 99', 'Order 98']);
  await page.getByRole('columnheader', { name: /Duration/, exact: false }).waitFor();
  expect(await list().getByRole('columnheader', { name: 'Duration' }).getAttribute('aria-sort')).toBe(
    'descending',
  );
  await list().getByRole('button', { name: 'Duration' }).click();
  await expect.poll(titles).toEqual(['Order 98', 'Order 99', 'Order 198', 'Order 199']);
  await page.getByLabel('Duration from, s').fill('150');
  await expect.poll(titles).toEqual(['Order 198', 'Order 199']);
  expect(page.url()).toMatch(/ran=150/);
  await page.getByRole('button', { name: 'Load 200 more' }).click();
  await page.getByText('6 of the 400 most recently active sessions.').waitFor();
  await list().getByRole('button', { name: 'Last activity' }).click();
  await page.getByLabel('Duration from, s').fill('');
  await page.getByLabel('Cost from, USD').fill('');
  await page.getByText('most recently active sessions').waitFor({ state: 'hidden' });
  await page.unroute(/\/sessions\?/);
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const)('the list meets WCAG AA: %s, %i px wide', async (colorScheme, width) => {
  const { page } = tab;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(at('?sort=cost'));
  await list()
    .getByRole('link', { name: /outage one/ })
    .waitFor();
  expect(await list().getByRole('table').count()).toBe(width > 960 ? 1 : 0);
  if (width > 960) await page.getByRole('checkbox', { name: 'Select outage one' }).check();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
});

test('nothing on the pages violates their own policy, and only the deleted session was missing', () => {
  const rest = tab.complaints.filter((complaint) => !complaint.includes(`${ids.get('outage three')}/retry`));
  expect(rest).toEqual([]);
});
