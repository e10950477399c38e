/**
 * Loads a definition and evals in one build, so that they share modules. Packages are not bundled. This package resolves to the
 * running one, so the command recognizes an eval's objects.
 */

import { existsSync } from 'node:fs';
import { glob, mkdir, mkdtemp } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildFailure, build, type Message, type Plugin } from 'esbuild';
import { wrongImport } from '../../infra/definition/place.ts';
import { isDeployment } from '../../shared/agent/define/deployment.ts';
import type { Deployment } from '../../shared/agent/define/deployment-keys.ts';
import { type Eval, isEval } from '../../testing/evals/define.ts';
import { packagesFor } from '../dev/inputs.ts';
import { Failed } from '../ends.ts';

/** The folder of a project's evals. */
export const FOLDER = 'evals';

export interface Loaded {
  readonly definition: Deployment;
  /** In the order of their files. */
  readonly evals: readonly Eval[];
  /** A folder to remove when its content is no longer needed. */
  readonly scratch: string;
}

/** Absolute paths of the named evals, or of all in the project. Throws {@link Failed} if there are none. */
export async function evalFiles(folder: string, named: readonly string[]): Promise<string[]> {
  if (named.length > 0)
    return named.map((name) => {
      const path = resolve(folder, name);
      if (!existsSync(path)) throw new Failed(`There is no file ${name}.`);
      return path;
    });
  const found: string[] = [];
  for await (const path of glob(`${FOLDER}/**/*.eval.{ts,mts,js,mjs}`, { cwd: folder }))
    found.push(resolve(folder, path));
  if (found.length === 0)
    throw new Failed(
      `There are no evals in ${join(folder, FOLDER)}: write one, such as ${FOLDER}/support.eval.ts (docs/evals.md), or make one from a session with steploop eval record.`,
    );
  return found.sort();
}

/** Rejects with {@link Failed} and the place if a file does not build, cannot be imported, or is not an eval. */
export async function load(folder: string, definition: string, files: readonly string[]): Promise<Loaded> {
  const path = resolve(folder, definition);
  if (!existsSync(path))
    throw new Failed(`There is no ${definition} in ${folder}: name your definition with --definition.`);
  const home = join(packagesFor(folder), '.cache', 'steploop');
  await mkdir(home, { recursive: true });
  const scratch = await mkdtemp(join(home, 'evals-'));
  const named = Object.fromEntries(files.map((file, i) => [`eval-${i}`, file]));
  await built(folder, { definition: path, ...named }, scratch);
  process.setSourceMapsEnabled(true);
  const exported = async (name: string, of: string): Promise<unknown> => {
    const imported = await import(pathToFileURL(join(scratch, `${name}.mjs`)).href).catch(
      (error: unknown) => {
        throw new Failed(wrongImport(error, of));
      },
    );
    return imported.default;
  };
  const deployment = await exported('definition', path);
  if (!isDeployment(deployment))
    throw new Failed(
      `${definition}: the default export must be made by defineDeployment (docs/extending.md).`,
    );
  const evals: Eval[] = [];
  for (const [name, file] of Object.entries(named)) {
    const made = await exported(name, file);
    if (!isEval(made))
      throw new Failed(
        `${relative(folder, file)}: the default export must be made by defineEval (docs/evals.md).`,
      );
    evals.push(made);
  }
  return { definition: deployment, evals, scratch };
}

async function built(folder: string, entryPoints: Record<string, string>, outdir: string): Promise<void> {
  try {
    await build({
      entryPoints,
      outdir,
      absWorkingDir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      packages: 'external',
      platform: 'node',
      target: 'node24',
      format: 'esm',
      keepNames: true,
      sourcemap: 'inline',
      sourcesContent: false,
      plugins: [thisPackage],
      logLevel: 'silent',
    });
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    throw first ? new Failed(told(first)) : error;
  }
}

const told = ({ location, text }: Message): string =>
  location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;

/** Resolves entries of this package to those that the command itself imports. */
const thisPackage: Plugin = {
  name: 'this package',
  setup(build) {
    build.onResolve({ filter: /^steploop(?:\/|$)/ }, ({ path }) => {
      try {
        return { path: import.meta.resolve(path), external: true };
      } catch {
        return { errors: [{ text: `${path} is not an entry of the package (docs/reference/entries.md)` }] };
      }
    });
  },
};
