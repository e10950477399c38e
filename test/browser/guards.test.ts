/** The console shows what each preset of guards would have said to a session, in a real browser. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { presets } from '../../shared/agent/config/presets.ts';
import { barriers, type Tab, tooWide } from '../support/browser.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import type { Embedded } from '../support/embedded.ts';
import { callTools, sayText } from '../support/rule-model.ts';

let it: ConsoleWorld;
let world: Embedded;
let tab: Tab;
let sessionId: string;

beforeAll(async () => {
  it = await consoleWorld(({ n }) => (n <= 4 ? callTools(['read', { path: 'a' }]) : sayText('It is 42.')));
  ({ world, tab } = it);
  sessionId = await world.start('Read it.');
  await world.atRest(sessionId);
  await it.signIn();
  await tab.page.getByRole('heading', { name: 'Sessions' }).waitFor();
}, 120_000);
afterAll(() => it?.[Symbol.asyncDispose]());

const at = (path?: string) => it.at(path);

test('a session leads to a grid with a row for each preset, and to the words of each', async () => {
  const { page } = tab;
  await page.goto(at(`/sessions/${sessionId}`));
  await page.getByRole('link', { name: 'Guards' }).click();
  const grid = page.getByRole('region', { name: 'Overview' });
  await grid.getByRole('rowheader', { name: 'aar' }).waitFor();
  const names = await grid.getByRole('rowheader').allTextContents();
  expect(names).toEqual(['As it ran', ...Object.keys(presets)]);
  const row = grid.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'aar' }) });
  expect(await row.getByRole('cell').allTextContents()).toEqual([
    ...['·silent', '·silent', '·silent', '■the run ends', 'after the end'],
  ]);
  const aar = page.getByRole('group').filter({ hasText: /^aar/ });
  expect(await aar.locator('summary').first().textContent()).toContain(
    'ends after step 4: Stopped in a loop',
  );
  await aar.locator('summary').first().click();
  await aar.getByRole('cell', { name: 'Run ended' }).waitFor();
});

test('a run that was added since the last look is replayed too', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Back to the session' }).click();
  const told = (await world.messages(sessionId)).length;
  await world.api('POST', `/sessions/${sessionId}/messages`, { message: 'And again.' });
  await expect.poll(async () => (await world.messages(sessionId)).length).toBeGreaterThan(told + 1);
  await world.atRest(sessionId);
  await page.getByRole('link', { name: 'Guards' }).click();
  const grid = page.getByRole('region', { name: 'Overview' });
  const row = grid.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'As it ran' }) });
  await row.getByRole('cell').nth(5).waitFor({ timeout: 10_000 });
  expect(await row.getByRole('cell').count()).toBe(6);
});

test('the page has no barriers, fits a phone, and the browser reports no errors', async () => {
  const { page, complaints } = tab;
  expect(await barriers(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await tooWide(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
