/** `npm run pictures` */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import chromium from '@sparticuz/chromium';
import { type Page, chromium as playwright } from 'playwright-core';
import { optionsOf } from '../test/support/command-line.ts';

const PICTURE = 'docs/images/console-triage.png';
optionsOf(
  `npm run pictures

Takes the README's picture. Runs npm start with the rules that replace a model, waits until the issue is triaged, opens the
session in the console, and writes ${PICTURE}.`,
  {},
);
const { ANTHROPIC_API_KEY: _, ...env } = process.env;

const demo = spawn(process.execPath, ['--conditions=@steploop/source', 'cli/demo/start.ts', '--ephemeral'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--no-zygote', '--use-gl=angle', '--use-angle=swiftshader'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(await consoleAddress());
  await page.getByRole('button', { name: 'Sign in with this link' }).click();
  await show(page);
  await page.screenshot({ path: PICTURE });
  console.log(`wrote ${PICTURE}`);
} finally {
  await browser.close();
  demo.kill('SIGINT');
}

/** The address with a token that the demo prints once its first run has ended. */
async function consoleAddress(): Promise<string> {
  for await (const line of createInterface({ input: demo.stdout })) {
    const [address] = /http:\S+\/console#token=\S+/.exec(line) ?? [];
    if (address) return address;
  }
  throw new Error('npm start ended before it printed the address of its console');
}

/** The triaged session, with the step that adds labels open. */
async function show(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Sessions' }).getByRole('link').first().click();
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByRole('button', { name: /^Step 3 / }).click();
  await steps.getByRole('columnheader', { name: 'Per million' }).waitFor();
}
