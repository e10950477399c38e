/** The console shows what each preset of guards would have said to a session, in a real browser. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { presets } from '../../shared/agent/config/presets.ts';
import {
  barriers,
  type ConsoleBrowser,
  consoleBrowser,
  signIn,
  type Tab,
  tooWide,
} from '../support/browser.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
let browser: ConsoleBrowser;
let tab: Tab;
let sessionId: string;

beforeAll(async () => {
  model = await ruleModel(({ n }) => (n <= 4 ? callTools(['read', { path: 'a' }]) : sayText('It is 42.')));
  [world, browser] = await Promise.all([embedded({ model }), consoleBrowser()]);
  tab = await browser.tab();
  sessionId = await world.start('Read it.');
  await world.atRest(sessionId);
  await signIn(tab.page, at(`#token=${world.token}`));
  await tab.page.getByRole('heading', { name: 'Sessions' }).waitFor();
}, 120_000);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const at = (path = '') => `${world.stack.outputs.HttpUrl}/console${path}`;

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

test('the page has no barriers, fits a phone, and the browser reports no errors', async () => {
  const { page, complaints } = tab;
  expect(await barriers(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await tooWide(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
