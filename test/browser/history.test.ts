/** An operator looks at the last days in the console, in a real browser. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { barriers, tooWide } from '../support/browser.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import { apiError } from '../support/model-server.ts';
import { callTools, sayText } from '../support/rule-model.ts';

let it: ConsoleWorld;

beforeAll(async () => {
  it = await consoleWorld(
    ({ lastText, turn }) => {
      if (lastText.includes('revoked')) return apiError(401, 'authentication_error', 'invalid x-api-key');
      return turn === 0 && lastText === 'look' ? callTools(['look', { n: 1 }]) : sayText('Done.');
    },
    { tools: () => 'seen' },
  );
  for (const message of ['look', 'hello', 'with a revoked key'])
    await it.world.atRest(await it.world.start(message));
  await it.signIn();
}, 120_000);
afterAll(() => it?.[Symbol.asyncDispose]());

test('the history has figures, charts and tables of the last days, and fits on a phone', {
  timeout: 120_000,
}, async () => {
  const { page } = it.tab;
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
  const totals = page.getByRole('list', { name: 'Totals' });
  await totals.getByText(/^3\s*runs$/).waitFor();
  await totals.getByText(/^1\s*failed$/).waitFor();
  const region = (name: string) => page.getByRole('region', { name });
  await region('How runs ended').getByText('The model server refused or was unavailable').waitFor();
  await region('Cost by agent')
    .getByRole('row', { name: /worker 3 1 3/ })
    .waitFor();
  await region('Cost by tool')
    .getByRole('row', { name: /look 1 0/ })
    .waitFor();
  await region('By day')
    .getByRole('img', { name: /Runs a day, at most 3/ })
    .waitFor();

  await page.getByRole('link', { name: '7 days' }).click();
  await page.waitForURL(/days=7/);
  await page.getByText('6 earlier days are not counted yet').waitFor();
  await it.world.stack.invoke('AgentsSweeper', {});
  await page.reload();
  await totals.getByText(/^3\s*runs$/).waitFor();
  await page.getByText('not counted yet').waitFor({ state: 'hidden' });
  await page.getByText('All days as a table').click();
  expect(await region('By day').getByRole('row').count()).toBe(8);
  expect(await barriers(page)).toEqual([]);

  await page.setViewportSize({ width: 375, height: 700 });
  expect(await tooWide(page)).toEqual([]);
  expect(await barriers(page)).toEqual([]);
  await page.goto(it.at('/history?days=11'));
  await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
});
