/**
 * Further uses of a project that installs the package, tried before a release because each bundles the functions again.
 * `test/package/consumer.test.ts` has the essential part.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { pages, stepsOf } from '../support/docs/pages.ts';
import { at, type InstalledProject, installedProject } from '../support/installed-project.ts';
import { asAPerson, nodeOfThePath } from '../support/person.ts';

/** Node 20 on a machine that has it; on others the installed one. */
const theirs = nodeOfThePath();

let installed: InstalledProject;
let project: string;
beforeAll(async () => {
  const packed = { tarball: inject('tarball'), unpacked: inject('unpacked') };
  installed = await installedProject(packed, theirs);
  project = installed.folder;
}, 600_000);
afterAll(() => installed?.[Symbol.dispose]());

describe('a project made by steploop init', () => {
  // Run on this machine's Node, which may be an old one. The end-to-end tests run what is synthesized on Node 24.
  it('is synthesized, without anything that its definition does not use', async () => {
    const out = join(project, '..', 'synthesized');
    // Not run through `npm run`, which puts the project's own Node first: the CLI and the app run on this machine's
    // Node.
    const cdk = join('node_modules', 'aws-cdk', 'bin', 'cdk');
    await at(project, theirs, theirs, cdk, 'synth', '--quiet', '--output', out);
    const template = readFileSync(join(out, 'MyAgents.template.json'), 'utf8');
    expect(template).toContain('"AWS::Lambda::Function"');
    expect(template).not.toMatch(/Slack|Agui|Hooks|Deliver|GITHUB/);
  });

  const steploop = join('node_modules', '.bin', 'steploop');

  it('runs on this machine with Node 24, with a scripted model', async () => {
    const said = await at(project, process.execPath, steploop, 'dev', '--once', 'Hello');
    expect(said).toContain('completed');
    expect(said).toContain('lookup_order');
  });

  it('plays its eval with Node 24, and reports how well its agent does', async () => {
    const said = await at(project, process.execPath, steploop, 'eval');
    expect(said).toMatch(/support \/ says where an order is +passed/);
    expect(said).toContain('2 of 2 cases passed');
  });
});

describe('a project with its own bucket, secret and webhook', () => {
  let shop: string;
  beforeAll(() => {
    shop = join(dirname(project), 'shop');
    cpSync(fileURLToPath(new URL('../support/shop', import.meta.url)), shop, { recursive: true });
    cpSync(join(project, 'cdk.json'), join(shop, 'cdk.json'));
    cpSync(join(project, 'package.json'), join(shop, 'package.json'));
    symlinkSync(join(project, 'node_modules'), join(shop, 'node_modules'));
  });
  // Run on Node 24, which a generated project uses for its scripts.
  const steploop = (...args: string[]) =>
    at(shop, process.execPath, join('node_modules', '.bin', 'steploop'), ...args);

  it('is limited to its grants on the laptop, and has nothing of Slack', async () => {
    expect(await steploop('dev', '--once', 'Use open_vault.')).toMatch(
      /open_vault said: .*not authorized to perform: s3:GetObject/,
    );
    await steploop('synth', '--out', 'out');
    const template = readFileSync(join(shop, 'out', 'Shop.template.json'), 'utf8');
    expect(template).toContain('SHOP_WEBHOOK_SECRET');
    expect(template).not.toContain('Slack');
  });
});

describe('a project with a wrong definition', () => {
  let config: string;
  let right: string;
  beforeAll(() => {
    config = join(project, 'steploop.config.ts');
    right = readFileSync(config, 'utf8');
  });
  afterEach(() => writeFileSync(config, right));

  const ended = (...command: [string, ...string[]]) => {
    const [file, ...args] = command;
    return spawnSync(file, args, { cwd: project, env: asAPerson(theirs), encoding: 'utf8' });
  };

  it.each([
    {
      what: 'a typo',
      command: ['steploop', 'synth'],
      find: 'agents: [support]',
      wrong: 'agent: [support]',
      says: /steploop\.config\.ts.*agent/,
    },
    {
      what: 'a missing export',
      command: ['cdk', 'synth', '--quiet'],
      find: '{ support }',
      wrong: '{ suport as support }',
      says: /config\.ts:2:\d+: .*suport/,
    },
  ])('gets one sentence that says where it is wrong: $what', ({ command, find, wrong, says }) => {
    writeFileSync(config, right.replace(find, wrong));
    const { status, stderr } = ended('npm', 'exec', '--', ...command);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(status).toBe(1);
  });
});

describe('docs/getting-started.md, word for word', () => {
  /** Commands that another test has run (the first ones), or that need an account. */
  const elsewhere = [
    'npx steploop init my-agents',
    'cd my-agents',
    'npm install',
    'npx cdk bootstrap',
    'npm run deploy',
  ];
  /** `npm run dev` stays up, so it is played with one message. */
  const played = (command: string) => (command === 'npm run dev' ? "npm run dev -- --once 'Hello'" : command);

  it('leads a person through every step, in order, in one folder', async () => {
    const page = pages.find(({ path }) => path === 'docs/getting-started.md');
    if (!page) throw new Error('the page has moved');
    const ran: string[] = [];
    for (const step of stepsOf(page)) {
      if (step.kind === 'file') {
        writeFileSync(join(project, step.path), step.text);
        continue;
      }
      if (elsewhere.includes(step.command)) continue;
      ran.push(step.command);
      await at(project, theirs, 'sh', '-c', played(step.command));
    }
    expect(ran).toEqual(
      expect.arrayContaining(['npm test', 'npm run eval', 'npm run dev', 'npm run check', 'npm run synth']),
    );
    const template = readFileSync(join(project, 'cdk.out', 'MyAgents.template.json'), 'utf8');
    expect(template).toContain('MANUALS_BUCKET');
  });
});
