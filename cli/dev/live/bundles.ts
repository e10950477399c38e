/**
 * Keeps functions and definition built while their sources are edited, each in an esbuild context that stays open: of an
 * edited definition little is read and printed again, and the functions hardly ever are.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
  /** Folder of the code of each function that has the definition in it, by name. Another code is another folder. */
  readonly folders: Readonly<Record<string, string>>;
  /** file:// URL of the definition's module. */
  readonly definition: string;
  /** file:// URL of the module that tells its facts. */
  readonly facts: string;
  /** Absolute paths of the files that were read, but for installed ones. */
  readonly inputs: ReadonlySet<string>;
}

export interface LiveBundles {
  /**
   * Builds the sources as they are. Rejects with esbuild's failure.
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
  /** Everything is written in here. */
  readonly outdir: string;
}

export async function openBundles(options: LiveBundlesOptions): Promise<LiveBundles> {
  const shared = new Set([FACTS, 'steploop', 'zod']);
  let functions: LiveFunctions | undefined;
  let base: BuiltFunctions | undefined;
  let isStale = true;
  const definition = await openDefinition({ ...options, folderOf });

  /** One that is not built yet is built before the definition is built again. */
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
      isStale ||= !changed || [...changed].some((file) => base?.inputs.has(file));
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

/** A function with its definition is a module of its own, beside that of the function. */
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
