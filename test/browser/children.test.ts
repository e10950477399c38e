/** A tree of agents at work, in the console. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { barriers, tooWide } from '../support/browser.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import { picture } from '../support/picture.ts';
import { callTools, sayText } from '../support/rule-model.ts';

let it: ConsoleWorld;

beforeAll(async () => {
  it = await consoleWorld(({ turn, body }) => {
    if (JSON.stringify(body.system).includes('You help.'))
      return turn === 0
        ? callTools(['look', { n: 1 }])
        : sayText('The warehouse has 12 left, and ships on Monday.');
    return turn === 0
      ? callTools(
          ['helper', { task: 'How many lamps of type A-17 are left?' }],
          ['helper', { task: 'When does the next delivery leave?' }],
        )
      : sayText('There are **12 lamps** left. The next delivery leaves on Monday.');
  });
  await it.signIn();
}, 120_000);
afterAll(() => it?.[Symbol.asyncDispose]());

test('the session of an agent that asks others shows their work in its timeline, and leads to theirs', async () => {
  const { page } = it.tab;
  const message = 'Can we promise 10 lamps for Monday?';
  const { body } = await it.world.api('POST', '/sessions', { agent: 'leader', message });
  await it.world.becomes(body.sessionId, 'completed');
  await page.goto(it.at(`/sessions/${body.sessionId}`));
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByRole('button', { name: 'Timeline' }).click();
  const lines = steps.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await expect.poll(() => lines.allTextContents()).toHaveLength(5);
  expect((await lines.allTextContents()).map((line) => /^(Step \d|helper|Waiting)/.exec(line)?.[0])).toEqual([
    'Step 1',
    'Waiting',
    'helper',
    'helper',
    'Step 2',
  ]);
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await picture(page.locator('body'), 'console-tree');
  await steps
    .getByRole('link', { name: /helper/ })
    .first()
    .click();
  await page.getByText('How many lamps of type A-17 are left?').first().waitFor();
});
