import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asAPerson, nodeOfThePath } from '../support/person.ts';

const run = promisify(execFile);
const tarball = inject('clientTarball');

/** A page of a project that has nothing else of Steploop. */
const page = mkdtempSync(join(tmpdir(), 'steploop-page-'));
afterAll(() => rmSync(page, { recursive: true, force: true }));

const theirs = nodeOfThePath();
const at = (file: string, ...args: string[]) => run(file, args, { cwd: page, env: asAPerson(theirs) });
const manifest = JSON.parse(readFileSync('packages/client/package.json', 'utf8'));
const whole = JSON.parse(readFileSync('package.json', 'utf8'));

describe('@steploop/client, in an empty folder', () => {
  let said: string;
  beforeAll(async () => {
    writeFileSync(join(page, 'package.json'), '{ "name": "page", "private": true, "type": "module" }');
    const { stdout, stderr } = await at(
      'npm',
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      tarball,
      'react@19',
      'react-dom@19',
      '@types/react@19',
    );
    said = stdout + stderr;
  }, 240_000);

  it('is under 300 KB, and brings two packages', () => {
    expect(statSync(tarball).size).toBeLessThan(300_000);
    expect(Object.keys(manifest.dependencies)).toEqual(['partial-json', 'zod']);
    expect(
      readdirSync(join(page, 'node_modules'))
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['@steploop', '@types', 'csstype', 'partial-json', 'react', 'react-dom', 'scheduler', 'zod']);
    expect(said).not.toMatch(/EBADENGINE|warn/i);
  });

  it('asks for no package but the framework of an entry, in the versions that steploop was tested with', () => {
    const { peerDependencies: peers, peerDependenciesMeta: optional, dependencies, version } = manifest;
    expect(Object.keys(peers)).toEqual(['@ag-ui/client', 'ai', 'react', 'rxjs']);
    expect(Object.keys(optional)).toEqual(Object.keys(peers));
    const tested = { ...whole.dependencies, ...whole.peerDependencies };
    for (const [name, range] of Object.entries({ ...peers, ...dependencies }))
      expect(range).toBe(tested[name]);
    expect(version).toBe(whole.version);
  });

  it('has its entries with their types', async () => {
    const script = `
      import { connect } from '@steploop/client';
      import { useSession } from '@steploop/client/react';
      import { partialAnswer } from '@steploop/client/partial';
      console.log(typeof connect, typeof useSession, typeof partialAnswer);`;
    expect((await at(theirs, '--input-type=module', '--eval', script)).stdout).toBe(
      'function function function\n',
    );
    const use = (id: string) =>
      `import { connect } from '@steploop/client';
import { useSession } from '@steploop/client/react';
export const client = connect({ httpUrl: 'https://x', socketUrl: 'wss://x', token: 't' });
export const items = () => useSession(${id}).items;
`;
    const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    const check = (text: string) => {
      writeFileSync(join(page, 'use.ts'), text);
      const strict = [
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2024',
        '--lib',
        'es2024,dom',
        // By default four checkers do much the same work.
        '--checkers',
        '1',
      ];
      return run(process.execPath, [tsc, ...strict, 'use.ts'], { cwd: page });
    };
    await check(use("'s-1'"));
    await expect(check(use('1'))).rejects.toMatchObject({ stdout: expect.stringContaining('use.ts') });
  });

  it('is a small part of a page that Vite builds: the client, the hooks, and no schema library', async () => {
    writeFileSync(join(page, 'index.html'), '<script type="module" src="/main.js"></script>');
    const main = `
      import { createElement } from 'react';
      import { createRoot } from 'react-dom/client';
      import { connect } from '@steploop/client';
      import { SteploopProvider, useSession } from '@steploop/client/react';
      const client = () => connect({ httpUrl: 'https://x', socketUrl: 'wss://x', token: 't' });
      const Talk = () => createElement('p', {}, useSession('s-1').items.length);
      createRoot(document.body).render(createElement(SteploopProvider, { client }, createElement(Talk)));`;
    const sizeOf = async (text: string) => {
      writeFileSync(join(page, 'main.js'), text);
      await build({ root: page, logLevel: 'error', configFile: false });
      const folder = join(page, 'dist', 'assets');
      const code = readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .join('');
      expect(code).not.toContain('ZodError');
      return code.length;
    };
    const react = await sizeOf(`
      import { createElement } from 'react';
      import { createRoot } from 'react-dom/client';
      createRoot(document.body).render(createElement('p'));`);
    expect((await sizeOf(main)) - react).toBeLessThan(40_000);
  });
});
