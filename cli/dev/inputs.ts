/** The files of a project that its app and its definition depend on, as far as they can be known. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { home, moduleOf } from '../../infra/definition/source.ts';
import { SKILLS_FOLDER } from '../../shared/skills/folder.ts';
import { appOf } from '../app.ts';
import type { Project } from './project.ts';

export interface AppInputs {
  /** Absolute paths of the app's own modules. */
  readonly files: readonly string[];
  /** Whether the app reads more than its modules: other files, the environment. */
  readonly readsMore: boolean;
}

/** This package's app, which runs one definition alone. */
export const ownApp = moduleOf('infra/app');

/** The modules of a project's app: those that its command names, and their imports. */
export async function inputsOfApp({ folder, definition }: Project): Promise<AppInputs> {
  const command = definition === undefined ? appOf(folder) : ownApp;
  const entries = command
    .split(/\s+/)
    .map((word) => resolve(folder, word.replaceAll(/^["']|["']$/g, '')))
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && existsSync(file));
  const files = await importsOf(entries, folder);
  return { files, readsMore: entries.length === 0 || files.some((file) => readsMore(file)) };
}

/** Absolute paths of modules and their imports, without packages. Empty if they do not build. */
export async function importsOf(entries: readonly string[], folder: string): Promise<string[]> {
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const;
  try {
    const { metafile } = await build({
      ...options,
      entryPoints: [...entries],
      absWorkingDir: folder,
      outdir: 'out',
      metafile: true,
      write: false,
      logLevel: 'silent',
    });
    return Object.keys(metafile.inputs).map((input) => resolve(folder, input));
  } catch {
    return [...entries];
  }
}

/** This package's app reads only its context, which is known. */
const readsMore = (file: string): boolean =>
  file !== ownApp &&
  /process\.env|\bfs\b|fromAsset|fromDocker|fetch\(|tryGetContext|child_process/.test(
    readFileSync(file, 'utf8'),
  );

/** Files other than modules that affect the synthesis. A lock file stands for the installed packages. */
export function settled({ folder }: Project): string[] {
  const locks = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];
  return ['cdk.json', 'cdk.context.json', 'package.json', ...locks].map((name) => join(folder, name));
}

/** The folder of the skills that a definition may name. */
export const skillsBeside = (definition: string): string => join(dirname(definition), SKILLS_FOLDER);

/** The folders of this package that functions and their template are made of. */
export const ownFolders = ['functions', 'infra', 'shared', 'tools'] as const;

/** A hash of this package's own sources if no lock file covers them: in its repository, or linked. */
export function ownSources(): string {
  const hash = createHash('sha256');
  for (const part of ownFolders) {
    const names = readdirSync(join(home, part), { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names) {
      if (extname(name) !== extname(ownApp)) continue;
      hash.update(`${part}/${name}\n`).update(readFileSync(join(home, part, name)));
    }
  }
  return hash.digest('hex');
}

/** The folder from which relative paths of an app start. */
export const definitionIn = ({ folder, definition }: Project, inTemplate: string): string =>
  definition ?? resolve(folder, inTemplate);

/** The nearest folder above a file that has packages. */
export function packagesFor(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules'))) return join(at, 'node_modules');
    if (dirname(at) === at) return join(folder, 'node_modules');
  }
}
