/** `npm run pictures` */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import chromium from '@sparticuz/chromium';
import { type Page, chromium as playwright } from 'playwright-core';
import { optionsOf } from '../test/support/command-line.ts';

const PICTURE = 'docs/images/console-triage.png';
optionsOf(
  `npm run pictures

Takes the README's picture, and those of docs/slack.md and docs/children.md. Runs npm start with the rules that replace
a model, waits until the issue is triaged, opens the session in the console, and writes ${PICTURE}. Then runs the browser tests of the emulated Slack and of
agents that ask others, which write the rest.`,
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

// A machine without a screen has no emoji. Fontconfig looks for fonts below this folder.
const fonts = await mkdtemp(join(tmpdir(), 'fonts-'));
execFileSync('npm', ['pack', '--silent', '--pack-destination', fonts, '@expo-google-fonts/noto-emoji@0.4.7']);
await mkdir(join(fonts, 'fonts'));
execFileSync('tar', [
  'xzf',
  join(fonts, 'expo-google-fonts-noto-emoji-0.4.7.tgz'),
  '-C',
  join(fonts, 'fonts'),
]);
const slack = [
  'vitest',
  'run',
  '--project',
  'browser',
  'test/browser/slack-room.test.ts',
  'test/browser/children.test.ts',
];
const { status } = spawnSync('npx', slack, {
  env: { ...env, STEPLOOP_PICTURES: '1', XDG_DATA_HOME: fonts },
  stdio: 'inherit',
});
await rm(fonts, { recursive: true });
process.exitCode = status ?? 1;

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
