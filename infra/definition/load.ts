/**
 * Loads a definition before it is bundled into the functions. Otherwise its errors would surface in the first run, or as a stack
 * trace of the bundler.
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
 * The facts of the deployment. Rejects with {@link WrongDefinition} if the file does not exist, does not build, cannot be
 * imported, or exports something else.
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

/** Rejects with {@link WrongDefinition} if there is no such file. */
export async function checkPlace(definition: string): Promise<void> {
  const there = await stat(definition).catch(() => undefined);
  if (!there)
    throw new WrongDefinition(
      `${shown(definition)}: there is no such file. Name the one that exports your definition.`,
    );
  if (!there.isFile())
    throw new WrongDefinition(
      `${shown(definition)}: is not a file. Name the one that exports your definition.`,
    );
}

/** esbuild's name for a bundle of inline source. */
const ENTRY = 'stdin.mjs';

/**
 * Bundles the definition with the code that describes it. Its dynamic imports stay separate files: in one file, esbuild
 * initializes modules that they share with others in an order in which zod is used before it is ready.
 */
async function built(definition: string, outdir: string): Promise<readonly OutputFile[]> {
  try {
    const { outputFiles } = await build({
      stdin: {
        // Not imported by name, so that a missing default export is reported as such, and not as a build error.
        contents: `import * as defined from ${JSON.stringify(definition)};
          import { checkPatterns } from ${JSON.stringify(moduleOf('shared/agent/define/check-patterns'))};
          import { checkSchedules } from ${JSON.stringify(moduleOf('shared/agent/define/check-schedules'))};
          import { describeExport } from ${JSON.stringify(moduleOf('shared/agent/define/facts'))};
          const name = 'default';
          export const facts = describeExport(defined[name]);
          await checkPatterns(defined[name]);
          checkSchedules(defined[name]);`,
        resolveDir: dirname(definition),
      },
      outdir,
      outExtension: { '.js': '.mjs' },
      splitting: true,
      bundle: true,
      platform: 'node',
      // It is loaded by the Node that runs the synthesis.
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

/** esbuild's first error, with its place relative to the working directory. Errors that are not esbuild's are returned unchanged. */
export function wrongBuild(error: unknown, definition: string): unknown {
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  return first ? new WrongDefinition(`${placeOf(first, definition)}: ${first.text}`) : error;
}

/** The place in a form that editors can open. */
function placeOf({ location, pluginName }: Message, definition: string): string {
  // A missing package is not the fault of any line of the author's.
  if (!location || pluginName === peers.name) return shown(definition);
  return `${shown(join(process.cwd(), location.file))}:${location.line}:${location.column + 1}`;
}
