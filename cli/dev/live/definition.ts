/**
 * Builds a project's definition alone, so that an edit rebuilds nothing else. It imports the modules that it shares with the
 * functions, because their classes and schemas must be the same.
 */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { context, type Plugin } from 'esbuild';
import { buildOptions } from '../../../infra/bundle.ts';
import { ownInputs } from './inputs.ts';
import { written } from './written.ts';

export interface BuiltDefinition {
  /** file:// URL of the module that exports it. */
  readonly url: string;
  /** Absolute paths of the source files, without installed ones. */
  readonly inputs: ReadonlySet<string>;
}

export interface LiveDefinition {
  /** Builds the current source. Rejects with esbuild's failure. */
  build(): Promise<BuiltDefinition>;
  close(): Promise<void>;
}

export interface LiveDefinitionOptions {
  readonly folder: string;
  readonly definition: string;
  readonly outdir: string;
  /** Folder of the module that functions and definition share under this name. */
  readonly folderOf: (name: string) => string;
}

/** Imports of this package, and of zod, by any name. */
const SHARED = /^(?:steploop|zod(?:\/.*)?)$/;

export async function openDefinition(options: LiveDefinitionOptions): Promise<LiveDefinition> {
  const { folder, definition, outdir, folderOf } = options;
  const common = buildOptions(definition);
  const esbuild = await context({
    ...common,
    absWorkingDir: folder,
    entryPoints: { 'definition/index': definition },
    outdir,
    plugins: [sharing(folderOf), ...common.plugins],
    logLevel: 'silent',
  });
  return {
    async build() {
      const { metafile, outputFiles } = await esbuild.rebuild();
      const { definition: built } = await written(outputFiles, ['definition'], outdir);
      return {
        url: pathToFileURL(join(String(built), 'index.mjs')).href,
        inputs: new Set(ownInputs(metafile, folder)),
      };
    },
    close: () => esbuild.dispose(),
  };
}

const sharing = (folderOf: (name: string) => string): Plugin => ({
  name: 'sharing',
  setup(build) {
    build.onResolve({ filter: SHARED }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      // CommonJS gets a copy of its own, as it does in a deploy. Plugin data marks a resolution that a plugin, this one or the
      // next, requested.
      const isShared = kind === 'import-statement' || kind === 'dynamic-import';
      if (!isShared || pluginData !== undefined) return undefined;
      const { errors } = await build.resolve(path, { kind, importer, resolveDir, pluginData: 'sharing' });
      if (errors.length > 0) return undefined;
      return { path: pathToFileURL(join(folderOf(path), 'index.mjs')).href, external: true };
    });
  },
});
