/**
 * Looks at a folder of agents before it is bundled into eleven functions: what is wrong with it would else be told by
 * the first run, or by a stack trace of the bundler.
 */

import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildFailure, build, type Message } from 'esbuild';
import * as z from 'zod';
import { bundling } from './bundle.ts';

/** A folder of agents that cannot be deployed. The message says to its author what to do. */
export class WrongAgents extends Error {
  override name = 'WrongAgents';
}

const made = (by: string, has: (value: object) => boolean) =>
  z.custom<object>((value) => typeof value === 'object' && value !== null && has(value), `use ${by}`);

/** What `#agents` exports, as far as it can be seen without the core. */
const Exports = z.object({
  agents: z.array(made('defineAgent', (agent) => 'name' in agent && 'limits' in agent && 'tools' in agent)),
  webhooks: z.record(
    z.string(),
    made('defineWebhook', (source) => 'verify' in source && 'map' in source && 'tenant' in source),
  ),
  slack: made(
    'a SlackConfig',
    (config) => 'agentFor' in config && typeof config.agentFor === 'function',
  ).refine((config) => !('mayDecide' in config), 'mayDecide has moved: say it in defineAgent({ mayDecide })'),
});

/** Rejects with {@link WrongAgents} when `index.ts` of the folder is not what the functions import. */
export async function checkAgents(folder: string, scratch: string): Promise<void> {
  const index = join(folder, 'index.ts');
  await checkPlace(folder, index);
  const parsed = Exports.safeParse(await loadAgents(folder, scratch));
  if (parsed.success) return;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new WrongAgents(`${index} must export agents, webhooks and slack (docs/extending.md). ${wrong}.`);
}

/** What `index.ts` of the folder exports. Rejects with {@link WrongAgents} when it does not build or cannot be imported. */
export async function loadAgents(folder: string, scratch: string): Promise<unknown> {
  const index = join(folder, 'index.ts');
  // What was imported once from a path is never read again.
  const bundle = join(await mkdtemp(join(scratch, 'agents-')), 'index.mjs');
  await writeFile(bundle, await built(index, folder));
  return import(pathToFileURL(bundle).href).catch((error: unknown) => {
    throw new WrongAgents(`${index} cannot be loaded: ${error instanceof Error ? error.message : error}`);
  });
}

async function checkPlace(folder: string, index: string): Promise<void> {
  const there = await stat(folder).catch(() => undefined);
  if (!there) throw new WrongAgents(`There is no folder ${folder}: name the one that has your index.ts.`);
  if (!there.isDirectory())
    throw new WrongAgents(`${folder} is no folder: name the one that has your index.ts.`);
  if (!(await stat(index).catch(() => undefined))?.isFile())
    throw new WrongAgents(
      `${folder} has no index.ts: it must export agents, webhooks and slack (docs/extending.md).`,
    );
}

async function built(index: string, folder: string): Promise<Uint8Array> {
  try {
    const { outputFiles } = await build({ ...bundling, entryPoints: [index] });
    return outputFiles[0]?.contents ?? new Uint8Array();
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    if (!first) throw error;
    throw new WrongAgents(`${placeOf(first, folder)}: ${first.text}`);
  }
}

/** Where it is, as editors open it. */
function placeOf({ location }: Message, folder: string): string {
  if (!location) return folder;
  const file = relative(process.cwd(), join(bundling.absWorkingDir, location.file));
  return `${file}:${location.line}:${location.column + 1}`;
}
