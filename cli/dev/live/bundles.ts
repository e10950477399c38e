/**
 * Keeps functions and definition built while their sources are edited, each in an esbuild context that stays open. An edit of the
 * definition rebuilds only a small part, and the functions are rarely rebuilt.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { skillsBeside } from '../inputs.ts';
import { openDefinition } from './definition.ts';
import {
  type BuiltFunctions,
  entryOf,
  FACTS,
  type LiveFunctions,
  openFunctions,
  withDefinition,
} from './functions.ts';
import { versionOf } from './written.ts';

export interface Built {
  /** Code folder of each function that contains the definition, by name. New code has a new folder. */
  readonly folders: Readonly<Record<string, string>>;
  /** file:// URL of the definition's module. */
  readonly definition: string;
  /** file:// URL of the module that describes it. */
  readonly facts: string;
  /** Absolute paths of the source files, without installed ones. */
  readonly inputs: ReadonlySet<string>;
}

export interface LiveBundles {
  /**
   * Builds the current sources. Rejects with esbuild's failure.
   *
   * @param changed absolute paths of files that have changed since; undefined = any may have
   */
  build(changed?: ReadonlySet<string>): Promise<Built>;
  close(): Promise<void>;
}

export interface LiveBundlesOptions {
  /** The project: paths in failures start there. */
  readonly folder: string;
  readonly definition: string;
  /** Names of the functions. */
  readonly functions: readonly string[];
  /** All output is written here. */
  readonly outdir: string;
}

export async function openBundles(options: LiveBundlesOptions): Promise<LiveBundles> {
  const shared = new Set([FACTS, 'steploop', 'zod']);
  let functions: LiveFunctions | undefined;
  let base: BuiltFunctions | undefined;
  let isStale = true;
  const definition = await openDefinition({ ...options, folderOf });

  /** The folder of an entry. If it is not built yet, it is built before the next build of the definition. */
  function folderOf(name: string): string {
    shared.add(name);
    return base?.folders[entryOf(name)] ?? options.outdir;
  }

  async function buildFunctions(): Promise<BuiltFunctions> {
    isStale = true;
    if (!base || shared.size > base.shared) {
      await functions?.close();
      functions = await openFunctions({ ...options, shared: [...shared] });
    }
    base = await (functions as LiveFunctions).build();
    isStale = false;
    return base;
  }

  return {
    async build(changed) {
      isStale ||=
        !changed || [...changed].some((file) => base?.inputs.has(file) || isOfSkills(file, options));
      for (;;) {
        const current = isStale || !base ? await buildFunctions() : base;
        const { url, inputs } = await definition.build();
        if (shared.size > current.shared) {
          isStale = true;
          continue;
        }
        return {
          folders: await joined(current, url, options.outdir),
          definition: url,
          facts: pathToFileURL(join(String(current.folders[entryOf(FACTS)]), 'index.mjs')).href,
          inputs: new Set([...current.inputs, ...inputs]),
        };
      }
    },
    async close() {
      await Promise.all([definition.close(), functions?.close()]);
    },
  };
}

/** Whether a file is one of the project's skills, which are in the step function. */
export const isOfSkills = (file: string, { definition }: Pick<LiveBundlesOptions, 'definition'>): boolean =>
  file.startsWith(skillsBeside(definition) + sep);

/** Joins a function with its definition in a module of its own, next to the function's. */
async function joined(
  { folders, users }: BuiltFunctions,
  definition: string,
  outdir: string,
): Promise<Record<string, string>> {
  const of = async (name: string) => {
    const source = withDefinition(String(folders[name]), definition);
    const folder = join(outdir, `${name}-live-${versionOf(source)}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'index.mjs'), source);
    return [name, folder];
  };
  return Object.fromEntries(await Promise.all(users.map(of)));
}
