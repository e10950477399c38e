/** Synthesizes a project's app in a process of its own, as the CDK CLI does, or finds an earlier result. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLE_TOGETHER } from '../../infra/definition/source.ts';
import { openAssemblyCache } from '../../local/assembly-cache.ts';
import { type DeployedStack, placeIn } from '../../local/deployed.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { appOf, runApp } from '../app.ts';
import { Failed } from '../ends.ts';
import {
  definitionIn,
  importsOf,
  inputsOfApp,
  ownApp,
  ownSources,
  packagesFor,
  settled,
  skillsBeside,
} from './inputs.ts';
import type { Project } from './project.ts';

export interface Synthesized {
  readonly place: DeployedStack;
  /** Absolute path of the definition. */
  readonly definition: string;
  /** Absolute paths of the app's modules. */
  readonly app: readonly string[];
  /** Whether it was made now, and not found. */
  readonly made: boolean;
}

export interface SynthesizeOptions {
  /** Selects a `Steploop`, if there are several. */
  readonly wanted?: string | undefined;
  /** The content of `.env`, because an app may read it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * The template of the current sources. It is cached together with the modules that it was made of, unless the app reads more than
 * those. Rejects with {@link Failed} and the app's output if the app fails.
 */
export async function synthesize(project: Project, options: SynthesizeOptions = {}): Promise<Synthesized> {
  const home = join(packagesFor(project.folder), '.cache', 'steploop');
  await mkdir(home, { recursive: true });
  const cache = openAssemblyCache(home);
  const { definition = '', folder } = project;
  const facts = {
    node: process.version,
    command: definition === '' ? appOf(folder) : ownApp,
    sources: ownSources(),
    ...{ folder, definition },
  };
  const app = await inputsOfApp(project);
  const found = app.readsMore ? undefined : await cache.find(facts);
  if (found !== undefined) return described(project, options, { assembly: found, app, made: false });
  const scratch = await mkdtemp(join(home, 'synth-'));
  try {
    const assembly = join(scratch, 'assembly');
    await make(project, assembly, scratch, options);
    const place = placeIn(assembly, options.wanted);
    const defined = definitionIn(project, place.deployed.definition);
    const own = await importsOf([defined], folder);
    // An uncacheable result gets a random key.
    const of = { ...facts, ...(app.readsMore && { once: randomUUID() }) };
    const kept = await cache.keep(assembly, {
      facts: of,
      files: [...app.files, ...own, ...settled(project), skillsBeside(defined)],
    });
    return described(project, options, { assembly: kept, app, made: true });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function described(
  project: Project,
  { wanted }: SynthesizeOptions,
  { assembly, app, made }: { assembly: string; app: { files: readonly string[] }; made: boolean },
): Synthesized {
  const place = placeIn(assembly, wanted);
  return { place, definition: definitionIn(project, place.deployed.definition), app: app.files, made };
}

async function make(
  { folder, definition }: Project,
  outdir: string,
  scratch: string,
  { env = {}, signal }: SynthesizeOptions,
): Promise<void> {
  let said = '';
  const say = (text: string) => {
    said += text;
  };
  // The CDK's own validation takes half of a synthesis, and its warnings would not be shown here
  // (https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.AppProps.html#builtincloudformationvalidation).
  // Leftovers of a killed process go to `scratch` too.
  const quick = { CDK_VALIDATION: 'false', [BUNDLE_TOGETHER]: '1' };
  const own = { ...quick, ...env, ...process.env, TMPDIR: scratch };
  const code =
    definition === undefined
      ? await runApp({ folder, outdir, env: own, say, ...defined({ signal }) })
      : await runOwnApp({ folder, outdir, definition, env: own, say, signal });
  if (code !== 0) throw new Failed(said.trim() || `The app ended with ${code}.`);
}

/** An app that has one definition, and nothing else. */
function runOwnApp(run: {
  folder: string;
  outdir: string;
  definition: string;
  env: Readonly<Record<string, string | undefined>>;
  say: (text: string) => void;
  signal: AbortSignal | undefined;
}): Promise<number> {
  const { folder, outdir, definition, env, say, signal } = run;
  const child = spawn(process.execPath, [...process.execArgv, ownApp], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ definition }) },
    ...defined({ signal }),
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
