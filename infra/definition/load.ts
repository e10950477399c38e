/**
 * Loads a definition before it is bundled into the functions: what is wrong with it would else be told by the first
 * run, or by a stack trace of the bundler.
 */

import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildFailure, build, type Message, type OutputFile } from 'esbuild';
import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { builtins } from '../bundle/builtins.ts';
import { peers } from '../bundle/peers.ts';
import { project } from '../bundle/project.ts';
import { shown, wrongImport } from './place.ts';
import { home, moduleOf } from './source.ts';
import { WrongDefinition } from './wrong.ts';

/**
 * What the deployment is, by its own account. Rejects with {@link WrongDefinition} when there is no such file, when it
 * does not build or cannot be imported, and when it exports something else.
 *
 * @param definition path of the file
 * @param scratch an empty folder
 */
export async function loadDefinition(definition: string, scratch: string): Promise<DeploymentFacts> {
  await checkPlace(definition);
  for (const { path, contents } of await built(definition, scratch)) await writeFile(path, contents);
  process.setSourceMapsEnabled(true);
  const loaded = await import(pathToFileURL(join(scratch, ENTRY)).href).catch((error: unknown) => {
    throw new WrongDefinition(wrongImport(error, definition));
  });
  return loaded.facts;
}

/** Rejects with {@link WrongDefinition} when there is no such file. */
export async function checkPlace(definition: string): Promise<void> {
  const there = await stat(definition).catch(() => undefined);
  if (!there)
    throw new WrongDefinition(
      `${shown(definition)}: there is no such file. Name the one that exports your definition.`,
    );
  if (!there.isFile())
    throw new WrongDefinition(`${shown(definition)}: is no file. Name the one that exports your definition.`);
}

/** What esbuild calls the bundle of what it is told in words. */
const ENTRY = 'stdin.mjs';

/**
 * The definition with what describes it. What it imports dynamically stays in files of its own: in one file esbuild starts what such a
 * module shares with others in an order in which zod is used before it is there.
 */
async function built(definition: string, outdir: string): Promise<readonly OutputFile[]> {
  try {
    const { outputFiles } = await build({
      stdin: {
        // Not imported by its name: a file without a default export is told as such, and not as one that does not build.
        contents: `import * as defined from ${JSON.stringify(definition)};
          import { checkPatterns } from ${JSON.stringify(moduleOf('shared/agent/define/check-patterns'))};
          import { describeExport } from ${JSON.stringify(moduleOf('shared/agent/define/facts'))};
          const name = 'default';
          export const facts = describeExport(defined[name]);
          await checkPatterns(defined[name]);`,
        resolveDir: dirname(definition),
      },
      outdir,
      outExtension: { '.js': '.mjs' },
      splitting: true,
      bundle: true,
      platform: 'node',
      // It is loaded by the Node that synthesizes.
      target: 'node20',
      format: 'esm',
      mainFields: ['module', 'main'],
      plugins: [project(definition), peers, builtins],
      nodePaths: [join(home, 'node_modules')],
      keepNames: true,
      sourcemap: 'inline',
      sourcesContent: false,
      write: false,
      logLevel: 'silent',
    });
    return outputFiles;
  } catch (error) {
    throw wrongBuild(error, definition);
  }
}

/** What esbuild found first, with its place as paths of the working directory; what is no finding of its, as it is. */
export function wrongBuild(error: unknown, definition: string): unknown {
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  return first ? new WrongDefinition(`${placeOf(first, definition)}: ${first.text}`) : error;
}

/** Where it is, as editors open it. */
function placeOf({ location, pluginName }: Message, definition: string): string {
  // A package that is not installed is missing in no line of the author's.
  if (!location || pluginName === peers.name) return shown(definition);
  return `${shown(join(process.cwd(), location.file))}:${location.line}:${location.column + 1}`;
}
