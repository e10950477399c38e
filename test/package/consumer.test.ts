import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { pages, stepsOf } from '../support/docs/pages.ts';
import { asAPerson, nodeOfThePath } from '../support/person.ts';

const run = promisify(execFile);
const tarball = inject('tarball');

/** Outside of the repository, so that imports cannot find anything of it. */
const root = mkdtempSync(join(tmpdir(), 'steploop-consumer-'));
const project = join(root, 'work', 'my-agents');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ours = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Node 20 on a machine that has it; on others the installed one. */
const theirs = nodeOfThePath();
const nodes = [
  { node: 'the Node of this machine', path: theirs },
  { node: 'Node 24', path: process.execPath },
];
const install = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
/** Everything that npm said when it installed the project. */
let installed = '';

/**
 * Links packages of this repository into the project, since another install would take a minute. The links must be gone before
 * npm changes the project: it would delete what they lead to.
 */
function lent(...names: string[]): Disposable {
  const links = names.map((name) => join(project, 'node_modules', name));
  for (const [i, link] of links.entries()) symlinkSync(ours(`node_modules/${names[i]}`), link);
  return { [Symbol.dispose]: () => links.map((link) => rmSync(link)) };
}

/** Runs a program as a person with that Node would. If it fails, it rejects with the whole output. */
async function at(folder: string, node: string, file: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await run(file, args, { cwd: folder, env: asAPerson(node), maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

// An install from the registry, or from npm's cache.
beforeAll(async () => {
  // `steploop init` needs nothing that the project itself needs, so only the package's own dependencies are here. They
  // are copied from the repository, since another install would take a quarter of a minute.
  const packages = join(root, 'tool', 'node_modules');
  const unpacked = inject('unpacked');
  cpSync(unpacked, join(packages, 'steploop'), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(packages, name)), { recursive: true });
    symlinkSync(ours(`node_modules/${name}`), join(packages, name));
  }
  await mkdir(join(root, 'work'));
  const cli = join(packages, 'steploop', 'dist', 'cli', 'main.js');
  const said = await at(join(root, 'work'), theirs, theirs, cli, 'init', 'my-agents');
  expect(said).toContain('npm install');
  // The version that the project asks for is this one, which is in no registry.
  const { stdout, stderr } = await run('npm', [...install, tarball], {
    cwd: project,
    env: asAPerson(theirs),
  });
  installed = stdout + stderr;
}, 600_000);

describe('an installed package', () => {
  it.each([
    'steploop',
    'steploop/client',
    'steploop/partial',
    'steploop/testing',
    'steploop/evals',
    'steploop/tools',
    'steploop/bash',
    'steploop/typescript',
  ])('has %s, on any Node', async (entry) => {
    const script = `import(${JSON.stringify(entry)}).then((it) => console.log(Object.keys(it).length > 0))`;
    for (const { path } of nodes)
      expect(await at(project, path, path, '--input-type=module', '--eval', script)).toBe('true\n');
  });

  it('has steploop/react for a project with React, with its types, and renders on any Node', async () => {
    using _lent = lent('react', 'react-dom', '@types/react');
    const entry = readFileSync(join(project, 'node_modules/steploop/dist/web/react/index.js'), 'utf8');
    expect(entry).toMatch(/^'use client';/);
    const script = `
      import { createElement } from 'react';
      import { renderToString } from 'react-dom/server';
      import { SteploopProvider, useSession } from 'steploop/react';
      const Talk = () => createElement('p', {}, useSession('s-1').items.length);
      const client = () => { throw new Error('made'); };
      console.log(renderToString(createElement(SteploopProvider, { client }, createElement(Talk))));`;
    for (const { path } of nodes)
      expect(await at(project, path, path, '--input-type=module', '--eval', script)).toBe('<p>0</p>\n');
    const page = join(project, 'page.ts');
    const check = (id: string) => {
      writeFileSync(
        page,
        `import { useSession } from 'steploop/react';\nexport const use = () => useSession(${id}).items;\n`,
      );
      return at(project, theirs, 'npm', 'exec', '--', 'tsc', '--noEmit');
    };
    await check("'s-1'");
    await expect(check('1')).rejects.toThrow('page.ts');
    rmSync(page);
  });

  it('has steploop/ai-sdk, with its types, for a project with the package ai', async () => {
    using _lent = lent('ai', '@ai-sdk');
    const script = "import('steploop/ai-sdk').then((it) => console.log(Object.keys(it).sort().join()))";
    for (const { path } of nodes)
      expect(await at(project, path, path, '--input-type=module', '--eval', script)).toBe(
        'ProblemError,steploopTransport\n',
      );
    const use = join(project, 'use-chat.ts');
    writeFileSync(
      use,
      `import type { ChatTransport } from 'ai';
import { type SteploopUIMessage, steploopTransport } from 'steploop/ai-sdk';
export const transport: ChatTransport<SteploopUIMessage> = steploopTransport({ url: 'https://x', token: 't' });
export const said = (message: SteploopUIMessage) =>
  message.parts.flatMap((part) => (part.type === 'data-steploop-guard' ? [part.data.message.length] : []));
`,
    );
    const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
    const strict = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
    const libs = ['--lib', 'es2024,dom', '--ignoreConfig', 'use-chat.ts'];
    await at(project, process.execPath, process.execPath, tsc, ...strict, ...libs);
    rmSync(use);
  });

  it('refuses imports of files that are not entries', async () => {
    const script = "import('steploop/dist/shared/aws/ports.js')";
    await expect(at(project, theirs, theirs, '--input-type=module', '--eval', script)).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });

  it('has no package that only this repository’s development needs', () => {
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
    const { devDependencies } = JSON.parse(readFileSync(join(inject('unpacked'), 'package.json'), 'utf8'));
    const own = Object.keys(lock.packages[''].devDependencies);
    const installed = Object.entries(lock.packages as Record<string, { dev?: boolean; peer?: boolean }>)
      .filter(([, { dev, peer }]) => !dev && !peer)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    const strangers = Object.keys(devDependencies).filter(
      (name) => installed.includes(name) && !own.includes(name),
    );
    // Packages that our own dependencies bring along do not count.
    expect(strangers.filter((name) => !isBroughtBy(lock, name))).toEqual([]);
  });
});

describe('a project made by steploop init', () => {
  it('is installed without a warning, on a Node that is too old for some of its packages', () => {
    expect(installed).toMatch(/added \d+ packages/);
    expect(installed).not.toMatch(/EBADENGINE|npm warn/);
  });

  // Run through npm, whose scripts find the project's own Node first, so that it is the same on any machine.
  it('passes its own test, and type-checks', async () => {
    expect(await at(project, theirs, 'npm', 'test')).toMatch(/Tests.*1 passed/);
    await at(project, theirs, 'npm', 'run', 'check');
  });

  // Run on this machine's Node, which may be an old one. The end-to-end tests run what is synthesized on Node 24.
  it('is synthesized, without anything that its definition does not use', async () => {
    const out = join(root, 'synthesized');
    // Not run through `npm run`, which puts the project's own Node first: the CLI and the app run on this machine's
    // Node.
    const cdk = join('node_modules', 'aws-cdk', 'bin', 'cdk');
    await at(project, theirs, theirs, cdk, 'synth', '--quiet', '--output', out);
    const template = readFileSync(join(out, 'MyAgents.template.json'), 'utf8');
    expect(template).toContain('"AWS::Lambda::Function"');
    expect(template).not.toMatch(/Slack|Agui|Hooks|Deliver|GITHUB/);
  });
});

describe.each(nodes)('a project made by steploop init, with $node', ({ path }) => {
  it('runs on this machine, with a scripted model', async () => {
    const said = await at(project, path, join('node_modules', '.bin', 'steploop'), 'dev', '--once', 'Hello');
    expect(said).toContain('completed');
    expect(said).toContain('lookup_order');
  });

  it('plays its eval, and reports how well its agent does', async () => {
    const said = await at(project, path, join('node_modules', '.bin', 'steploop'), 'eval');
    expect(said).toMatch(/support \/ says where an order is +passed/);
    expect(said).toContain('2 of 2 cases passed');
  });
});

describe('a project with its own bucket, secret and webhook', () => {
  const shop = join(root, 'work', 'shop');
  beforeAll(() => {
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
  const config = join(project, 'steploop.config.ts');
  let right: string;
  beforeAll(() => {
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

/** Whether a package that is installed next to ours requires it. */
const isBroughtBy = (lock: { packages: Record<string, Asks> }, name: string): boolean =>
  Object.entries(lock.packages).some(
    ([path, { dependencies, peerDependencies }]) =>
      path !== '' && Object.hasOwn({ ...dependencies, ...peerDependencies }, name),
  );

interface Asks {
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}
