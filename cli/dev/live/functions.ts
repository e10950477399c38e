/**
 * Builds the functions of a deployment without its definition, which each imports when it starts, so that an edit rebuilds only
 * the definition. Apart from that they are built with the options of a deploy.
 */

import { basename } from 'node:path';
import { context, type Metafile, type Plugin } from 'esbuild';
import { reachable } from '../../../infra/bundle/size.ts';
import { buildOptions, entryPointOf } from '../../../infra/bundle.ts';
import { moduleOf } from '../../../infra/definition/source.ts';
import { ownInputs } from './inputs.ts';
import { written } from './written.ts';

export interface BuiltFunctions {
  /** Folder of each entry: functions by name, and shared modules by {@link entryOf}. */
  readonly folders: Readonly<Record<string, string>>;
  /** How many names are shared. */
  readonly shared: number;
  /** Names of the functions that import the definition. */
  readonly users: readonly string[];
  /** Absolute paths of the source files, without installed ones. */
  readonly inputs: ReadonlySet<string>;
}

export interface LiveFunctions {
  /** Builds the current sources. Rejects with esbuild's failure. */
  build(): Promise<BuiltFunctions>;
  close(): Promise<void>;
}

export interface LiveFunctionsOptions {
  /** The project: paths in failures start there. */
  readonly folder: string;
  readonly definition: string;
  /** Names of the functions. */
  readonly functions: readonly string[];
  /** Import specifiers that a definition and the functions must share: `steploop`, `zod`. */
  readonly shared: readonly string[];
  /** All output is written here. */
  readonly outdir: string;
}

/** The module that describes a definition, which is shared with it as well. */
export const FACTS = 'facts';

/** Name of the entry that exports this shared import. */
export const entryOf = (shared: string): string => `shared-${shared.replaceAll('/', '-')}`;

export async function openFunctions(options: LiveFunctionsOptions): Promise<LiveFunctions> {
  const { folder, definition, functions, shared, outdir } = options;
  const common = buildOptions(definition);
  const entries = {
    ...Object.fromEntries(functions.map((name) => [name, entryPointOf(name)])),
    ...Object.fromEntries(shared.map((name) => [entryOf(name), sourceOf(name)])),
  };
  const esbuild = await context({
    ...common,
    absWorkingDir: folder,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, path]) => [`${name}/index`, path])),
    outdir,
    // A deploy has checked its definition before; here the functions must check it.
    plugins: [lateDefinition, ...common.plugins.filter(({ name }) => name !== 'checked-diet')],
    logLevel: 'silent',
  });
  return {
    async build() {
      const { metafile, outputFiles } = await esbuild.rebuild();
      return {
        folders: await written(outputFiles, Object.keys(entries), outdir),
        shared: shared.length,
        users: functions.filter((name) => importsDefinition(metafile, name)),
        inputs: new Set(ownInputs(metafile, folder)),
      };
    },
    close: () => esbuild.dispose(),
  };
}

function sourceOf(shared: string): string {
  if (shared === FACTS) return moduleOf('shared/agent/define/facts');
  return shared === 'steploop' ? moduleOf('shared/agent/define/index') : shared;
}

/** Where a function finds the URL of its definition. */
const URL_OF = "globalThis[Symbol.for('steploop.definition')]";

const LATE = 'late-definition';

const lateDefinition: Plugin = {
  name: LATE,
  setup(build) {
    build.onResolve({ filter: /^#definition$/ }, ({ path }) => ({ path, namespace: LATE }));
    build.onLoad({ filter: /.*/, namespace: LATE }, () => ({
      contents: `const { default: it } = await import(${URL_OF}); export default it;`,
    }));
  },
};

const importsDefinition = (metafile: Metafile, name: string): boolean =>
  reachable(metafile, undefined, `/${name}/index.mjs`).some((path) =>
    Object.keys(metafile.outputs[path]?.inputs ?? {}).some((input) => input.startsWith(`${LATE}:`)),
  );

/** Source of a function's module with this definition; its folder is next to the function's own. */
export const withDefinition = (folder: string, definitionUrl: string): string =>
  `${URL_OF} = ${JSON.stringify(definitionUrl)};
export const { handler } = await import('../${basename(folder)}/index.mjs');
`;
