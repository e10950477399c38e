/**
 * Keeps the functions built while their sources are edited: one esbuild context with all of them, kept open, with the
 * options of a deploy. Of a hundred modules one is read again; and what several functions share is linked once, which is a
 * fifth of the work of one context each.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type BuildResult, context, type Metafile, type OutputFile } from 'esbuild';
import { reachable } from '../../../infra/bundle/size.ts';
import { buildOptions, entryPointOf } from '../../../infra/bundle.ts';
import { home } from '../../../infra/definition/source.ts';

export interface Built {
  /** Folder of each function's code, by name. Another code is another folder, and the same the same. */
  readonly folders: Readonly<Record<string, string>>;
  /** Names of the functions that have code of the project in them. */
  readonly users: ReadonlySet<string>;
  /** Absolute paths of the files that were read, but for installed ones. */
  readonly inputs: ReadonlySet<string>;
}

export interface LiveBundles {
  /** Builds the sources as they are. Rejects with esbuild's failure. */
  build(): Promise<Built>;
  close(): Promise<void>;
}

export interface LiveBundlesOptions {
  /** The project: paths in failures start there. */
  readonly folder: string;
  readonly definition: string;
  /** Names of the functions. */
  readonly functions: readonly string[];
  /** Everything is written in here. */
  readonly outdir: string;
}

export async function openBundles({
  folder,
  definition,
  functions,
  outdir,
}: LiveBundlesOptions): Promise<LiveBundles> {
  const esbuild = await context({
    ...buildOptions(definition),
    absWorkingDir: folder,
    entryPoints: Object.fromEntries(functions.map((name) => [`${name}/index`, entryPointOf(name)])),
    outdir,
    logLevel: 'silent',
  });
  return {
    async build() {
      const { metafile, outputFiles } = (await esbuild.rebuild()) as BuildResult<{
        metafile: true;
        write: false;
      }>;
      return {
        folders: await write(outputFiles, functions, outdir),
        users: new Set(functions.filter((name) => isUser(metafile, name, folder))),
        inputs: new Set(ownInputs(metafile, folder)),
      };
    },
    close: () => esbuild.dispose(),
  };
}

/**
 * An entry goes to a folder that is named after its content; a chunk's name is of its content already. So nothing is
 * overwritten that a running function may still import, and an edit writes little.
 */
async function write(
  files: readonly OutputFile[],
  functions: readonly string[],
  outdir: string,
): Promise<Record<string, string>> {
  const folders = Object.fromEntries(
    functions.map((name) => {
      const entry = files.find(({ path }) => path === join(outdir, name, 'index.mjs'));
      if (!entry) throw new Error(`the function ${name} was not built`);
      const version = createHash('sha256').update(entry.contents).digest('hex').slice(0, 12);
      return [name, join(outdir, `${name}-${version}`)];
    }),
  );
  await Promise.all(Object.values(folders).map((folder) => mkdir(folder, { recursive: true })));
  await Promise.all(
    files.map(({ path, contents }) => {
      const to = folders[basename(dirname(path))];
      const file = to ? join(to, basename(path)) : path;
      return existsSync(file) ? undefined : writeFile(file, contents);
    }),
  );
  return folders;
}

/** Whether there is a file in the function that is neither installed nor a source of this package. */
function isUser(metafile: Metafile, name: string, folder: string): boolean {
  const files = reachable(metafile, undefined, `/${name}/index.mjs`).flatMap((path) =>
    Object.keys(metafile.outputs[path]?.inputs ?? {}),
  );
  return files.some(
    (input) => isOwn(input) && !/^(functions|shared)\//.test(relative(home, resolve(folder, input))),
  );
}

const isOwn = (input: string): boolean => !/(^|\/)node_modules\/|^[\w-]{2,}:/.test(input);

/** esbuild names inputs by their way from the project, and what a plugin made up by a prefix. */
const ownInputs = ({ inputs }: Metafile, folder: string): string[] =>
  Object.keys(inputs)
    .filter(isOwn)
    .map((input) => resolve(folder, input));
