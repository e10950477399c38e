import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { at, type InstalledProject, installedProject, lent } from '../support/installed-project.ts';
import { nodeOfThePath } from '../support/person.ts';

/** Node 20 on a machine that has it; on others the installed one. */
const theirs = nodeOfThePath();
const nodes = [theirs, process.execPath];
/** By default four checkers of TypeScript check small projects with much the same work each. */
const oneChecker = ['--checkers', '1'];

let installed: InstalledProject;
let project: string;
beforeAll(async () => {
  const packed = { tarball: inject('tarball'), unpacked: inject('unpacked') };
  installed = await installedProject(packed, theirs);
  project = installed.folder;
}, 600_000);
afterAll(() => installed?.[Symbol.dispose]());

describe('an installed package', () => {
  it('has each of its entries that need no other package, on any Node', async () => {
    const entries = [
      'steploop',
      'steploop/client',
      'steploop/partial',
      'steploop/testing',
      'steploop/evals',
      'steploop/a2a',
      'steploop/tools',
      'steploop/bash',
      'steploop/typescript',
    ];
    const script = `
      const empty = [];
      for (const entry of ${JSON.stringify(entries)})
        if (Object.keys(await import(entry)).length === 0) empty.push(entry);
      console.log(JSON.stringify(empty));`;
    for (const node of nodes)
      expect(await at(project, node, node, '--input-type=module', '--eval', script)).toBe('[]\n');
  });

  it('has steploop/react for a project with React, with its types, and renders on any Node', async () => {
    using _lent = lent(project, 'react', 'react-dom', '@types/react');
    const entry = readFileSync(join(project, 'node_modules/steploop/dist/web/react/index.js'), 'utf8');
    expect(entry).toMatch(/^'use client';/);
    const script = `
      import { createElement } from 'react';
      import { renderToString } from 'react-dom/server';
      import { SteploopProvider, useSession } from 'steploop/react';
      const Talk = () => createElement('p', {}, useSession('s-1').items.length);
      const client = () => { throw new Error('made'); };
      console.log(renderToString(createElement(SteploopProvider, { client }, createElement(Talk))));`;
    for (const node of nodes)
      expect(await at(project, node, node, '--input-type=module', '--eval', script)).toBe('<p>0</p>\n');
    // TypeScript also reports an expected error that is none.
    const page = join(project, 'page.ts');
    writeFileSync(
      page,
      `import { useSession } from 'steploop/react';
export const use = () => useSession('s-1').items;
// @ts-expect-error: the id of a session is a string
export const misuse = () => useSession(1).items;
`,
    );
    // With the project's own options; its other files are checked below.
    const options = join(project, 'tsconfig.page.json');
    writeFileSync(options, JSON.stringify({ extends: './tsconfig.json', include: ['page.ts'] }));
    await at(project, theirs, 'npm', 'exec', '--', 'tsc', '-p', options, ...oneChecker);
    for (const path of [page, options]) rmSync(path);
  });

  it('has steploop/ai-sdk, with its types, for a project with the package ai', async () => {
    using _lent = lent(project, 'ai', '@ai-sdk');
    const script = "import('steploop/ai-sdk').then((it) => console.log(Object.keys(it).sort().join()))";
    for (const node of nodes)
      expect(await at(project, node, node, '--input-type=module', '--eval', script)).toBe(
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
    await at(project, process.execPath, process.execPath, tsc, ...strict, ...libs, ...oneChecker);
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
    const names = Object.entries(lock.packages as Record<string, { dev?: boolean; peer?: boolean }>)
      .filter(([, { dev, peer }]) => !dev && !peer)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    const strangers = Object.keys(devDependencies).filter(
      (name) => names.includes(name) && !own.includes(name),
    );
    // Packages that our own dependencies bring along do not count.
    expect(strangers.filter((name) => !isBroughtBy(lock, name))).toEqual([]);
  });
});

// `npm run check:commands` has the rest: Node 24, another project, wrong definitions, the pages word for word.
describe('a project made by steploop init', () => {
  it('is installed without a warning, on a Node that is too old for some of its packages', () => {
    expect(installed.said).toMatch(/added \d+ packages/);
    expect(installed.said).not.toMatch(/EBADENGINE|npm warn/);
  });

  // Limits are what was measured and a little more, so that a new dependency is noticed. Most is the CDK, Vitest and TypeScript.
  it('brings at most 268 packages, of 480 MB besides a Node', async () => {
    expect(Number(/added (\d+) packages/.exec(installed.said)?.[1])).toBeLessThanOrEqual(268);
    const megabytes = async (path: string) =>
      Number.parseInt(await at(project, theirs, 'du', '-sm', path), 10);
    const node = existsSync(join(project, 'node_modules/node')) ? await megabytes('node_modules/node') : 0;
    expect((await megabytes('node_modules')) - node).toBeLessThan(480);
    for (const name of ['openai', 'stripe'])
      expect(existsSync(join(project, 'node_modules', name))).toBe(false);
  });

  // Run through npm, whose scripts find the project's own Node first, so that it is the same on any machine.
  it('passes its own test, and type-checks', async () => {
    expect(await at(project, theirs, 'npm', 'test')).toMatch(/Tests.*1 passed/);
    await at(project, theirs, 'npm', 'run', 'check', '--', ...oneChecker);
  });

  const steploop = join('node_modules', '.bin', 'steploop');

  it('runs on this machine, with a scripted model and no function that its definition does not use', async () => {
    const said = await at(project, theirs, steploop, 'dev', '--once', 'Hello');
    expect(said).toContain('completed');
    expect(said).toContain('lookup_order');
    const [template = ''] = globSync('node_modules/.cache/steploop/*/assembly/MyAgents.template.json', {
      cwd: project,
    });
    const text = readFileSync(join(project, template), 'utf8');
    expect(text).toContain('"AWS::Lambda::Function"');
    expect(text).not.toMatch(/Slack|Agui|Hooks|Deliver|GITHUB/);
    // `steploop dev` shows no warnings of the CDK's validation, so that does not run.
    expect(existsSync(join(project, dirname(template), 'validation-report.json'))).toBe(false);
  });

  it('plays its eval, and reports how well its agent does', async () => {
    const said = await at(project, theirs, steploop, 'eval');
    expect(said).toMatch(/support \/ says where an order is +passed/);
    expect(said).toContain('2 of 2 cases passed');
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
