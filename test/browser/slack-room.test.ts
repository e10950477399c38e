/** The page of the emulated Slack in a real browser, as `npm start -- --slack` offers it to a person. */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRoom, type SlackRoom } from '../../local/slack/room/server.ts';
import { barriers, type ConsoleBrowser, consoleBrowser, type Tab } from '../support/browser.ts';
import { picture } from '../support/picture.ts';
import { callTools, type RuleModel, ruleModel, sayText, sayTextHeld } from '../support/rule-model.ts';
import { workspace } from '../support/slack-workspace.ts';

let model: RuleModel;
let it: Awaited<ReturnType<typeof workspace>>;
let room: SlackRoom;
let browser: ConsoleBrowser;
let tab: Tab;
/** Lets the model continue its answer. */
let goOn = () => {};

beforeAll(async () => {
  model = await ruleModel(({ lastText, turn, messages }) => {
    if (/slowly|for ever/.test(lastText))
      return sayTextHeld(
        'The beginning of it',
        new Promise<void>((resolve) => {
          goOn = resolve;
        }),
        ' and the <b>end</b>.',
      );
    if (lastText.includes('pay') && turn === 0) return callTools(['transfer', { n: 7 }]);
    if (lastText.includes('order') && turn === 0)
      return callTools([
        'ask_form',
        {
          question: 'Which shirts?',
          fields: [
            { name: 'size', kind: 'choice', options: ['S', 'M'] },
            { name: 'count', kind: 'integer', at_most: 9 },
            { name: 'by', kind: 'date', required: false },
          ],
        },
      ]);
    if (lastText.includes('report') && turn === 0)
      return callTools(['draft', { path: 'out/orders.csv', text: 'order,state\n7,sent\n' }]);
    if (turn === 1 && JSON.stringify(messages).includes('"draft"'))
      return callTools(['send_files', { paths: ['out/orders.csv'] }]);
    return sayText('Done.');
  });
  [it, browser] = await Promise.all([workspace(model), consoleBrowser()]);
  room = await openRoom(it.slack, 'ada');
  tab = await browser.tab();
  await tab.page.goto(room.url);
}, 120_000);
afterAll(async () => {
  goOn();
  await browser?.[Symbol.asyncDispose]();
  await room?.stop();
  await it?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** Writes at the top level. Returns the resulting thread. */
async function write(text: string) {
  const { page } = tab;
  await page.getByLabel('Message to the agent').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  const thread = page.getByRole('article').filter({ hasText: text });
  await thread.waitFor();
  return thread;
}

test('an answer streams into its thread, and a message written there continues it', async () => {
  const thread = await write('say it slowly');
  await thread.getByText('The beginning').waitFor();
  expect(await thread.textContent()).not.toContain('end');
  goOn();
  // A person's message is plain text, whatever it looks like.
  await thread.getByText('The beginning of it and the <b>end</b>.').waitFor();
  await thread.getByText('✅ 1 step').waitFor();

  await thread.getByLabel('Reply in this thread').fill('and again');
  await thread.getByLabel('Reply in this thread').press('Enter');
  await thread.getByText('Done.').waitFor();
  expect(await tab.page.getByRole('article').count()).toBe(1);
  await picture(thread, 'slack-answer');
});

test('files that the agent gives are in the thread', async () => {
  const thread = await write('the report, please');
  await thread.getByText('orders.csv').waitFor();
  await thread.getByText('Done.').waitFor();
  await picture(thread, 'slack-files');
});

test('a call is approved by its button, with its whole input shown, and a run is stopped by its own', async () => {
  const paid = await write('pay them');
  await paid.getByText('n: 7').waitFor();
  await picture(paid, 'slack-approval');
  await paid.getByRole('button', { name: 'Approve', exact: true }).click();
  await paid.getByText('Done.').waitFor();
  expect(it.world.toolStarts.map(({ name }) => name)).toEqual(['transfer']);

  const endless = await write('look for ever');
  await endless.getByText('The beginning').waitFor();
  await endless.getByRole('button', { name: 'Stop' }).click();
  await endless.getByText('🛑 Stopped').waitFor();
});

test('a question with fields is answered in a form, which says what is wrong', async () => {
  const thread = await write('order shirts');
  await thread.getByRole('button', { name: 'Fill in' }).click();
  const form = tab.page.getByRole('dialog');
  await form.getByText('Which shirts?').waitFor();
  expect(await barriers(tab.page)).toEqual([]);
  await form.getByLabel('size').selectOption('M');
  await form.getByLabel('count').fill('10');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('It must be integer, at most 9.').waitFor();
  await picture(form, 'slack-form');
  await form.getByLabel('count').fill('2');
  await form.getByRole('button', { name: 'Send' }).click();
  await thread.getByText('Done.').waitFor();
  await form.waitFor({ state: 'hidden' });
  expect(JSON.stringify(model.asked.at(-1)?.messages)).toMatch(/size[^a-z]+M[^a-z]+count[^a-z]+2/);
});

test('it is accessible, and keeps its policy', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.page.emulateMedia({ colorScheme });
    expect(await barriers(tab.page)).toEqual([]);
  }
  await tab.page.setViewportSize({ width: 360, height: 700 });
  const width = () => tab.page.evaluate<number>('document.documentElement.scrollWidth');
  expect(await width()).toBeLessThanOrEqual(360);
  expect(tab.complaints).toEqual([]);
});

test('the page says when the app ends, and no written message is lost', async () => {
  await using other = await browser.tab();
  const own = await openRoom(it.slack, 'jonas');
  await other.page.goto(own.url);
  await other.page.getByRole('article').first().waitFor();
  await own.stop();
  await other.page.getByLabel('Message to the agent').fill('still there?');
  await other.page.getByRole('button', { name: 'Send' }).click();
  await other.page.getByText('npm start has ended').waitFor();
  await pause(600);
  expect(await other.page.getByLabel('Message to the agent').inputValue()).toBe('still there?');
});

test.each([
  ['a page of others', { origin: 'https://evil.example' }, '{"text":"pay"}', 403],
  ['a page without an origin', {}, '{"text":"pay"}', 403],
  ['no words', { origin: 'own' }, '{"text":" "}', 422],
  ['what it does not know', { origin: 'own' }, '{"text":"hi","user":"mira"}', 422],
  ['no JSON', { origin: 'own' }, 'text=hi', 400],
  ['too much', { origin: 'own' }, JSON.stringify({ text: 'a'.repeat(70_000) }), 413],
])('requests from %s are refused', async (_who, { origin }: { origin?: string }, body, status) => {
  const headers = origin ? { origin: origin === 'own' ? room.url : origin } : {};
  const { length } = it.slack.whispers();
  const response = await fetch(`${room.url}/api/messages`, { method: 'POST', headers, body });
  expect(response.status).toBe(status);
  expect(it.slack.whispers()).toHaveLength(length);
});
