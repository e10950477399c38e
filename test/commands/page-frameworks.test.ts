/**
 * Pages of CopilotKit and assistant-ui in a real browser, on their own origin. They talk directly to the stack, without a server
 * of these systems.
 */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, consoleBrowser } from '../support/browser.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type PatientModel, patientModel } from '../support/patient-model.ts';
import { asAPerson, nodeOfThePath } from '../support/person.ts';
import { callTools } from '../support/rule-model.ts';
import { openSample, type Site, sampleSite } from '../support/site.ts';

const samples = ['copilotkit', 'assistant-ui'];
let model: PatientModel;
let world: Embedded;
let site: Site;
let browser: ConsoleBrowser;

/**
 * They are two thirds of a gigabyte, and not dependencies of this repository. The first run installs each in the folder of its
 * sample, from npm or its cache.
 */
async function installed(sample: string): Promise<void> {
  const cwd = fileURLToPath(new URL(`../../web/samples/${sample}`, import.meta.url));
  if (existsSync(`${cwd}/node_modules/.package-lock.json`)) return;
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...quiet], { cwd, env: asAPerson(nodeOfThePath()) });
}

beforeAll(async () => {
  model = await patientModel(({ lastText }) => {
    if (lastText === 'paint it') return callTools(['paint', { color: 'teal' }]);
    if (lastText === 'plan it') return callTools(['set_page_state', { city: 'Oslo' }]);
    return undefined;
  });
  for (const sample of samples) await installed(sample);
  [world, browser, site] = await Promise.all([embedded({ model }), consoleBrowser(), sampleSite(samples)]);
}, 600_000);
afterAll(async () => {
  model?.goOn();
  await site?.[Symbol.asyncDispose]();
  await browser?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

test('CopilotKit: its own chat streams an answer, and a call is approved in it', async () => {
  await using tab = await browser.tab();
  const { page } = tab;
  await openSample(page, site.url('copilotkit'), world);
  const say = async (text: string) => {
    await page.getByRole('textbox').fill(text);
    await page.getByRole('textbox').press('Enter');
  };
  await say('pay');
  await page.getByRole('article', { name: 'Asked' }).getByText('transfer').waitFor();
  expect(world.toolStarts).toEqual([]);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Done.').waitFor();
  expect(world.toolStarts.map(({ name }) => name)).toEqual(['transfer']);
  await say('slowly');
  await page.getByText('The beginning', { exact: true }).waitFor();
  model.goOn();
  await page.getByText('The beginning and the end.').waitFor();
  expect(tab.complaints).toEqual([]);
});

test.each(samples)(
  '%s: carries out a call of a tool of its page, and shows what the model changes of its state',
  async (sample) => {
    await using tab = await browser.tab();
    const { page } = tab;
    await openSample(page, site.url(sample), world, 'sharer');
    const say = async (text: string) => {
      await page.getByRole('textbox').fill(text);
      await page.getByRole('textbox').press('Enter');
    };
    const before = model.asked.length;
    await say('paint it');
    await page.getByText('Done.').waitFor();
    const asked = model.asked.slice(before).map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(asked.filter((said) => said.includes('The page is teal now.'))).toHaveLength(1);
    expect(await page.locator('body').getAttribute('style')).toContain('teal');
    await page.getByRole('status').getByText('nowhere').waitFor();
    await say('plan it');
    await page.getByRole('status').getByText('Oslo').waitFor();
    await page.getByText('Done.').nth(1).waitFor();
    expect(tab.complaints).toEqual([]);
  },
);
