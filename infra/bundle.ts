/**
 * Bundling: each function becomes one folder with `index.mjs`, its chunks, and their source maps.
 *
 * A cold start pays for what it must read, compile and run before the first message, so the bundles are kept small. Each file in
 * `bundle/` is one measure and says what it gained. The figures are of the step function: the difference when that measure alone
 * is taken away (fastest of 31 imports). `npm run bench:cold` shows the total of all of them. Two measures need no file:
 * - `mainFields`: the AWS packages come as CommonJS and as ES modules, and esbuild can leave out unused commands only of the
 *   latter. For `platform: 'node'` it prefers the former. 358 KB, 39 ms. (`conditions: ['import']` does not work: it doubles
 *   packages.)
 * - `splitting`: dynamically imported code stays in chunks that no cold start reads. 27 ms.
 *
 * Not done, with the reason:
 * - Node's compile cache would save another quarter, but it is only valid for the exact version, architecture and user id of the
 *   Node that wrote it, which are unknown on Lambda.
 * - `keepNames: false` would save 53 KB and no measurable time, and make stack traces unreadable.
 * - `--enable-source-maps` costs every cold start 10 ms. The maps are in the asset: to read a stack trace, set `NODE_OPTIONS` on
 *   the function for a while (docs/operating.md#stack-traces).
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild';
import { anthropicDiet } from './bundle/anthropic.ts';
import { awsDiet } from './bundle/aws.ts';
import { barrelsDiet } from './bundle/barrels.ts';
import { builtins } from './bundle/builtins.ts';
import { checkedDiet } from './bundle/checked.ts';
import { hashesDiet } from './bundle/hashes.ts';
import { justBash } from './bundle/just-bash.ts';
import { otelDiet } from './bundle/otel.ts';
import { addPage } from './bundle/page.ts';
import { peers } from './bundle/peers.ts';
import { project } from './bundle/project.ts';
import { rareDiet } from './bundle/rare.ts';
import { reachable } from './bundle/size.ts';
import { projectSkills } from './bundle/skills.ts';
import { typescript } from './bundle/typescript.ts';
import { zodDiet } from './bundle/zod.ts';
import { home, moduleOf } from './definition/source.ts';

/** Each is `functions/<name>.ts` and exports `handler`. */
export const functionNames = [
  'step',
  'tool',
  'dead-letter',
  'sweep',
  'deliver',
  'http',
  'hooks',
  'slack',
  'slack-jobs',
  'channels',
  'mail',
  'socket',
  'agui',
  'console',
] as const;
export type FunctionName = (typeof functionNames)[number];

/** Folder of each bundle that was built, by function. */
export type Bundles = Partial<Record<FunctionName, string>>;

export interface BundleOptions {
  /** Parent folder of the bundles. */
  outdir: string;
  /** Path of the definition, which the functions import. */
  definition: string;
  /** Functions to build, if the deployment does not need all. Default: all. */
  functions?: readonly FunctionName[];
  /** Path of a function's entry point. Default: this package's. */
  entryOf?: (name: FunctionName) => string;
  /** For comparison in `bench/cold.ts`: bundles the same entry without any of these measures. */
  naive?: boolean;
  /**
   * Whether one build makes all functions. It takes a quarter of the time, and cold starts load more: what several functions
   * import is in chunks that have what any of them needs.
   */
  together?: boolean;
}

/**
 * Functions that are built in parallel. One build keeps more than one core busy, and takes 350 to 600 MB: all twelve in parallel
 * are no faster than four, and take 2 GB.
 */
const AT_ONCE = Math.min(availableParallelism(), 4);

/**
 * Builds functions, several in parallel. Rejects if one does not build, after all have ended; esbuild's messages are on standard
 * error by then.
 */
export async function bundleFunctions(options: BundleOptions): Promise<Bundles> {
  if (options.together) return bundleTogether(options);
  const names = options.functions ?? functionNames;
  const common = buildOptions(options.definition, options.naive);
  const left = names.values();
  const failures: unknown[] = [];
  const builder = async () => {
    for (const name of left)
      await bundleFunction(name, options, common).catch((failure) => failures.push(failure));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, builder));
  if (failures.length > 0) throw failures[0];
  return Object.fromEntries(names.map((name) => [name, join(options.outdir, name)]));
}

/** Builds one function. The metafile lists the bundle's content: `bundle/size.ts` reads it. */
export async function bundleFunction(
  name: FunctionName,
  { outdir, definition, naive: isNaive, entryOf = entryPointOf }: BundleOptions,
  common = buildOptions(definition, isNaive),
): Promise<{ directory: string; metafile: Metafile }> {
  const built = await build({
    ...common,
    entryPoints: { index: entryOf(name) },
    // No file is written there. Source maps are relative to it, and so find the sources from cdk.out/asset.…, which is as deep.
    outdir: join(process.cwd(), 'dist', name),
  });
  const directory = join(outdir, name);
  await writeFunction(name, directory, built);
  return { directory, metafile: built.metafile };
}

async function bundleTogether({
  outdir,
  definition,
  naive: isNaive,
  entryOf = entryPointOf,
  functions = functionNames,
}: BundleOptions): Promise<Bundles> {
  const built = await build({
    ...buildOptions(definition, isNaive),
    entryPoints: Object.fromEntries(functions.map((name) => [name, entryOf(name)])),
    outdir: join(process.cwd(), 'dist', 'together'),
  });
  await Promise.all(
    functions.map(async (name) => {
      const directory = join(outdir, name);
      await writeFunction(name, directory, built, name);
      await writeFile(join(directory, 'index.mjs'), `export * from './${name}.mjs';\n`);
    }),
  );
  return Object.fromEntries(functions.map((name) => [name, join(outdir, name)]));
}

/** Writes what an entry point of a build can load into a function's folder. */
async function writeFunction(
  name: FunctionName,
  directory: string,
  { outputFiles, metafile }: { outputFiles: readonly OutputFile[]; metafile: Metafile },
  entry = 'index',
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const wanted = new Set(
    reachable(metafile, undefined, `/${entry}.mjs`).flatMap((path) => [
      basename(path),
      `${basename(path)}.map`,
    ]),
  );
  await Promise.all(
    outputFiles
      .filter((file) => wanted.has(basename(file.path)))
      .map((file) => writeFile(join(directory, basename(file.path)), file.contents)),
  );
  if (name === 'console') await addPage(join(directory, 'page'));
}

/** Path of the source of one of this package's functions. */
export const entryPointOf = (name: string): string => moduleOf(`functions/${name}`);

/** The esbuild options of every function that imports this definition. Functions that are built with the same options share their threads. */
export const buildOptions = (definition: string, isNaive = false) => ({
  ...usual,
  ...(isNaive ? naive : diet),
  plugins: [
    project(definition),
    projectSkills(definition),
    peers,
    justBash(),
    typescript(),
    ...(isNaive ? [] : diet.plugins),
  ],
});

const usual = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  splitting: true,
  outExtension: { '.js': '.mjs' },
  minify: true,
  // Classes keep their names, which some libraries look at, and so do functions in stack traces.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  // A definition outside of this project finds our packages too.
  nodePaths: [join(home, 'node_modules')],
  metafile: true,
  write: false,
  logLevel: 'warning',
} satisfies BuildOptions;

const diet = {
  mainFields: ['module', 'main'],
  plugins: [
    builtins,
    awsDiet,
    barrelsDiet,
    checkedDiet,
    zodDiet,
    otelDiet,
    anthropicDiet,
    hashesDiet,
    rareDiet,
  ],
} satisfies BuildOptions;

const naive = {
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} satisfies BuildOptions;
