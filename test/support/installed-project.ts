import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { asAPerson } from './person.ts';

const run = promisify(execFile);

/** A path of this repository. */
const ours = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A project of `steploop init` outside of the repository, with the packed package installed from npm or its cache. */
export interface InstalledProject extends Disposable {
  /** Absolute path. Other projects may be put next to it. */
  readonly folder: string;
  /** Everything that npm said when it installed the project. */
  readonly said: string;
}

/**
 * Makes the project, and installs it.
 *
 * @param packed the packed package: its tarball, and the folder in which it is unpacked
 * @param node path of the Node with which `steploop init` and npm run
 */
export async function installedProject(
  packed: { readonly tarball: string; readonly unpacked: string },
  node: string,
): Promise<InstalledProject> {
  // Outside of the repository, so that imports cannot find anything of it.
  const root = mkdtempSync(join(tmpdir(), 'steploop-consumer-'));
  // `steploop init` needs nothing that the project itself needs, so only the package's own dependencies are here. They
  // are links to the repository's, since another install would take a quarter of a minute.
  const packages = join(root, 'tool', 'node_modules');
  cpSync(packed.unpacked, join(packages, 'steploop'), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(packed.unpacked, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(packages, name)), { recursive: true });
    symlinkSync(ours(`node_modules/${name}`), join(packages, name));
  }
  await mkdir(join(root, 'work'));
  const cli = join(packages, 'steploop', 'dist', 'cli', 'main.js');
  expect(await at(join(root, 'work'), node, node, cli, 'init', 'my-agents')).toContain('npm install');
  const folder = join(root, 'work', 'my-agents');
  // The version that the project asks for is this one, which is in no registry.
  const { stdout, stderr } = await run(
    'npm',
    ['install', '--prefer-offline', '--no-audit', '--no-fund', packed.tarball],
    { cwd: folder, env: asAPerson(node) },
  );
  return {
    folder,
    said: stdout + stderr,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Runs a program as a person with that Node would. If it fails, it rejects with the whole output. */
export async function at(folder: string, node: string, file: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await run(file, args, { cwd: folder, env: asAPerson(node), maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

/**
 * Links packages of this repository into a project, since another install would take a minute. The links must be gone
 * before npm changes the project: it would delete what they lead to.
 */
export function lent(project: string, ...names: string[]): Disposable {
  const links = names.map((name) => join(project, 'node_modules', name));
  for (const [i, link] of links.entries()) symlinkSync(ours(`node_modules/${names[i]}`), link);
  return { [Symbol.dispose]: () => links.map((link) => rmSync(link)) };
}
