/**
 * CopilotKit's stock chat in a real browser, on its own origin. It talks directly to the stack, without a CopilotKit
 * server.
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
import { openSample, type Site, sampleSite } from '../support/site.ts';

const sample = fileURLToPath(new URL('../../web/samples/copilotkit', import.meta.url));
let model: PatientModel;
let world: Embedded;
let site: Site;
let browser: ConsoleBrowser;

/**
 * Half a gigabyte, and not a dependency of this repository. The first run installs it in the sample's folder, from npm
 * or its cache.
 */
async function installed(): Promise<void> {
  if (existsSync(`${sample}/node_modules/.package-lock.json`)) return;
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...quiet], { cwd: sample, env: asAPerson(nodeOfThePath()) });
}

beforeAll(async () => {
  model = await patientModel();
  await installed();
  [world, browser, site] = await Promise.all([
    embedded({ model }),
    consoleBrowser(),
    sampleSite(['copilotkit']),
  ]);
}, 600_000);
afterAll(async () => {
  model?.goOn();
  await site?.[Symbol.asyncDispose]();
  await browser?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

test('its own chat streams an answer, and a call is approved in it', async () => {
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
