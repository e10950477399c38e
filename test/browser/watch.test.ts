/**
 * An operator at work, in a real browser. They watch an issue being triaged, during which a worker dies; find out why a
 * step cost what it did; decide on calls of other sessions; and stop a harmful run.
 */

import { createHmac } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StepInfo } from '../../shared/contract/steps.ts';
import {
  barriers,
  type ConsoleBrowser,
  consoleBrowser,
  signIn,
  type Tab,
  tooWide,
} from '../support/browser.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { messageStart, openBlock, text } from '../support/model-events.ts';
import { stall } from '../support/model-server.ts';
import { callTools, type RuleModel, ruleModel, sayText, sayTextHeld } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;
let browser: ConsoleBrowser;
let tab: Tab;
/** Lets models answer that are silent until a test is over. */
let letGo = () => {};
const held = new Promise<void>((resolve) => {
  letGo = resolve;
});
/** Ends the word with which the triage began. */
let goOn = () => {};
const begun = new Promise<void>((resolve) => {
  goOn = resolve;
});

const HALF = 'Half of what I think of this issue';
/** Malicious text: HTML, scripts, a long word, and characters that reverse the direction of text. */
const evil = `<img src=x onerror="document.title='owned'"><b>bold</b> [go](javascript:document.title='owned') ${'x'.repeat(400)} \u202Eegnaro\u202C`;

beforeAll(async () => {
  let died = 0;
  model = await ruleModel(({ turn, messages, lastText }) => {
    const said = JSON.stringify(messages[0]);
    if (said.includes('It leaks')) {
      if (turn === 0) return sayThenLook();
      if (turn === 1) return died++ === 0 ? stall([messageStart(), ...openBlock(text(HALF), 0)]) : looks();
      if (turn === 2) return callTools(['save', { n: 3 }]);
      return sayText('Labelled **bug**.');
    }
    if (said.includes('Pay') && turn === 0) return callTools(['transfer', { n: 1 }], ['transfer', { n: 2 }]);
    if (lastText.includes('for ever')) return sayTextHeld('I will never', held, ' end');
    if (said.includes('img') && turn === 0) return callTools(['ask_user', { question: evil }]);
    return sayText(said.includes('img') ? evil : 'Done.');
  });
  [world, browser] = await Promise.all([
    embedded({ model, leaseSeconds: 3, variables: { TENANT_USD_PER_DAY: '5' } }),
    consoleBrowser(),
  ]);
  tab = await browser.tab();
  await signIn(tab.page, at(`#token=${world.token}`));
}, 120_000);
afterAll(async () => {
  goOn();
  letGo();
  await browser?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const at = (path = '') => `${world.stack.outputs.HttpUrl}/console${path}`;
const looks = () => callTools(['look', { n: 2 }]);
/** A first word, then silence until the test continues, then a call. */
const sayThenLook = (): ReturnType<typeof stall> => async (response, left) => {
  await begun;
  await callTools(['look', { n: 1 }])(response, left);
};

/** A new issue, as GitHub reports it. */
async function opens(title: string): Promise<void> {
  const body = JSON.stringify({ action: 'opened', issue: { number: 7, title } });
  const { status } = await world.api('POST', '/hooks/github', body, {
    'x-github-event': 'issues',
    'x-github-delivery': 'd1',
    'x-hub-signature-256': `sha256=${createHmac('sha256', world.webhookSecret).update(body).digest('hex')}`,
  });
  expect(status).toBe(202);
}

test('an issue is triaged live, and an attempt whose environment is killed is shown as dead', async () => {
  const { page } = tab;
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  await opens('It leaks');
  await page
    .getByRole('row', { name: /Running.*It leaks/ })
    .getByRole('link')
    .click();
  const talk = page.getByRole('region', { name: 'Conversation' });
  const steps = page.getByRole('region', { name: 'Steps' });
  await talk.getByText('It leaks').waitFor();
  goOn();
  await steps.getByRole('button', { name: /^Step 1 / }).waitFor();
  await talk.getByText(HALF).waitFor();
  expect(world.stack.kill('AgentsStepsStep')).toBe(1);

  await talk.getByText('Labelled bug').waitFor({ timeout: 60_000 });
  await page.getByRole('status').getByText('Completed').first().waitFor();
  const second = steps.getByRole('button', { name: /^Step 2 / });
  await second.getByText('attempt 2: its worker died').waitFor();
  // The dead attempt's time is a part of the line, in its own colour.
  expect(await second.locator('.waterfall .died').getAttribute('title')).toMatch(/including failed attempts/);
  expect(await steps.locator('.waterfall .died').count()).toBe(1);
  // The beginning of its answer is not part of the conversation.
  expect(await talk.getByText(HALF).count()).toBe(0);
});

test('one click shows why step 3 cost what it did: tokens with prices, the whole request, what clients got', async () => {
  const { page } = tab;
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByRole('button', { name: /^Step 3 .*save/ }).click();
  const tokens = steps.getByRole('table');
  await tokens.getByRole('columnheader', { name: 'Per million' }).waitFor();
  const input = tokens.getByRole('row', { name: /^Input/ });
  expect(await input.getByRole('cell').allTextContents()).toEqual([
    '10',
    expect.stringMatching(/^\$/),
    expect.stringMatching(/^(< )?\$0\./),
  ]);
  await steps.getByText('Full request').click();
  await steps.getByText('Messages: 5').waitFor();
  await steps.getByText('A tool with the effect').waitFor();
  await steps.getByText('Events').click();
  await steps.getByText(/TOOL_CALL_RESULT/).waitFor();
  // Cost grows from step to step, and ends at the session's cost.
  const soFar = await steps.getByText(/so far$/).allTextContents();
  expect(soFar).toHaveLength(4);
  const amounts = soFar.map((words) => Number(/[\d.]+/.exec(words)?.[0]));
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
  expect(await barriers(page)).toEqual([]);
});

test('the waterfall shows folds of the context, failed attempts, guard messages, waits and new runs', async () => {
  const { page } = tab;
  const id = page.url().split('/').at(-1) ?? '';
  const step = (n: number, over: Partial<StepInfo>): StepInfo => ({
    ...{ runId: 'r1', step: n, slots: [n], kind: 'model', stop: 'end_turn', times: { modelMs: 1_000 } },
    ...{ verdicts: [], calls: [], text: 'Said.', startedAt: new Date(n * 3_600_000).toISOString() },
    ...over,
  });
  const fold = {
    why: 'size',
    tokens: { before: 9_000, after: 900 },
    left: { messages: 3, tokens: 8_100 },
    start: 2,
  } as const;
  const verdict = { guard: 'loop.stepRepeat', kind: 'warn', code: 'again' };
  const steps = [
    step(5, { runId: 'r2', verdicts: [verdict] }),
    step(4, { times: { modelMs: 500, waitMs: 7_200_000 } }),
    step(3, { kind: 'fold', fold }),
    step(2, { retries: 2 }),
  ];
  await page.route(/\/steps\?/, (route) => route.fulfill({ json: { steps, costUsd: 1 } }));
  await page.goto(at(`/sessions/${id}`));
  const list = page.getByRole('region', { name: 'Steps' });
  const line = (name: RegExp, ...words: string[]) =>
    Promise.all(words.map((text) => list.getByRole('button', { name }).getByText(text).waitFor()));
  await line(/Step 5/, 'loop.stepRepeat', 'New run, 1 h 0 min after the last one');
  await line(/Step 4/, 'waited 2 h 0 min');
  await line(/Compaction before step 3/, '9,000 → 900 tokens, size');
  await line(/Step 2/, '2 earlier tries');
  expect(await barriers(page)).toEqual([]);
  await page.unroute(/\/steps\?/);
});

/** A person reads a request before they decide it: the page no longer asks for a wait that is settled. */
const wholeIsShown = (asked: Locator) => asked.getByText('Loading …').first().waitFor({ state: 'detached' });

test('in a second session a call is approved and another refused, and the steps name the decider', async () => {
  const { page } = tab;
  const id = await world.start('Pay twice');
  await page.goto(at(`/sessions/${id}`));
  const asked = page.getByRole('region', { name: 'Asked: transfer' });
  await asked.getByText('n: 1').waitFor();
  await wholeIsShown(asked);
  await asked.filter({ hasText: 'n: 2' }).getByRole('button', { name: 'Refuse' }).click();
  await asked.filter({ hasText: 'n: 1' }).getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('status').getByText('Completed').first().waitFor();
  const first = page.getByRole('region', { name: 'Steps' }).getByRole('button', { name: /^Step 1 / });
  await first.getByText('transfer, approved by operator, transfer (refused), denied by operator').waitFor();
  expect(world.toolStarts.filter(({ name }) => name === 'transfer')).toMatchObject([{ input: { n: 1 } }]);
});

test('a third session is stopped', async () => {
  const { page } = tab;
  const id = await world.start('Go on for ever');
  await page.goto(at(`/sessions/${id}`));
  await page.getByRole('region', { name: 'Conversation' }).getByText('I will never').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('status').getByText('Stopped').first().waitFor();
});

test('the overview shows the totals: runs and steps of the hour, latencies, and spend by model against the budget', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Now' }).click();
  const throughput = page.getByRole('region', { name: 'Throughput' });
  await throughput.getByText('Finished runs: 3').waitFor();
  await throughput.getByRole('img', { name: /^Finished runs: 3, at most \d in a minute$/ }).waitFor();
  const latencies = page.getByRole('region', { name: 'Latencies' });
  await latencies.getByRole('row', { name: /^Run: time to first token .* 3$/ }).waitFor();
  const models = page.getByRole('region', { name: 'Cost by model' });
  await models.getByRole('columnheader', { name: 'Share of daily budget' }).waitFor();
  await models.getByRole('row', { name: /^claude-test-1 3 / }).waitFor();
  expect(await barriers(page)).toEqual([]);
});

test('a stopped run is retried, its message is reworded in a fork, and another fork is made at a step', async () => {
  const { page } = tab;
  await page.goto(at());
  await page.getByRole('link', { name: /Go on for ever/ }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  const talk = page.getByRole('region', { name: 'Conversation' });
  await talk.getByText('Done.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'hidden' });
  const origin = page.url();

  await talk.getByRole('button', { name: 'Edit' }).first().click();
  expect(await barriers(page)).toEqual([]);
  await talk.getByLabel('Edit the message').fill('Say hello');
  await talk.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Forked from').waitFor();
  await talk.getByText('Say hello').waitFor();
  await talk.getByText('Done.', { exact: true }).waitFor();
  expect(await talk.getByText('Go on for ever').count()).toBe(0);
  await page.getByText('Forked from').getByRole('link').click();
  await talk.getByText('Go on for ever').waitFor();
  expect(page.url()).toBe(origin);

  await talk.getByRole('button', { name: 'Edit' }).first().click();
  await talk.getByLabel('Edit the message').fill('Say hello again');
  await talk.getByText('Try otherwise').click();
  await talk.getByLabel('System prompt').fill('You are terse.');
  await talk.getByLabel('Model').fill('claude-test-2');
  expect(await barriers(page)).toEqual([]);
  await talk.getByRole('button', { name: 'Save' }).click();
  // The two are compared, and the other prompt was asked.
  await page.getByRole('region', { name: 'Side B' }).getByText('Completed').waitFor();
  expect(model.asked.at(-1)?.body).toMatchObject({ model: 'claude-test-2' });
  expect(JSON.stringify(model.asked.at(-1)?.body.system)).toContain('You are terse.');
  await page.goto(origin);

  await page
    .getByRole('button', { name: /^Step 1 / })
    .first()
    .click();
  await page.getByRole('button', { name: 'Fork after step 1' }).first().click();
  await page.getByText('Forked from').waitFor();
  expect(page.url()).not.toBe(origin);
  await page.getByText('Forked from').getByRole('link').click();
  // The other forks share nothing with it, since they were made before the first message.
  await page.getByText('1 fork', { exact: true }).click();
  expect(await barriers(page)).toEqual([]);
});

test.each([
  ['light', 1280],
  ['dark', 390],
] as const)('malicious text stays text, and breaks no page: %s, %i px', async (colorScheme, width) => {
  const { page } = tab;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  const id = await world.start(evil);
  await page.goto(at());
  await page
    .getByRole('link', { name: /img src/ })
    .first()
    .waitFor();
  expect(await tooWide(page)).toEqual([]);
  await page.goto(at('/now'));
  await page
    .getByRole('region', { name: 'Inbox' })
    .getByRole('link', { name: /img src/ })
    .first()
    .waitFor();
  await page.getByRole('region', { name: 'Inbox' }).getByText('onerror').last().waitFor();
  expect(await tooWide(page)).toEqual([]);
  await page.goto(at(`/sessions/${id}`));
  const asked = page.getByRole('region', { name: 'Asked: ask_user' });
  await asked.getByText('onerror').waitFor();
  // Text that reads differently from what it is shows why, where a person decides.
  expect(await asked.textContent()).not.toContain('\u202E');
  await wholeIsShown(asked);
  await asked.getByLabel('Answer').fill(evil);
  await asked.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByRole('status').getByText('Completed').first().waitFor();
  await page
    .getByRole('region', { name: 'Steps' })
    .getByRole('button', { name: /^Step 1 / })
    .click();
  await page.getByText('Reply', { exact: true }).waitFor();
  expect(await tooWide(page)).toEqual([]);
  expect(await barriers(page)).toEqual([]);
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
  expect(await page.title()).not.toBe('owned');
});

test('nothing on the pages violates their own policy', () => {
  expect(tab.complaints).toEqual([]);
});
