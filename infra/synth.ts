/**
 * Synthesis as a function, for the app, for the embedded stack and for the tests.
 *
 * It needs no account, no network and no bootstrap: the stack is environment-agnostic, and file assets
 * stay in the assembly folder, where `Steploop.assets.json` says which template key is which folder.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { agentsFolder, type Bundles, bundleFunctions } from './bundle.ts';
import { checkAgents } from './check-agents.ts';
import { SteploopStack } from './stack.ts';
import { unaskedCalls } from './unasked.ts';

export interface SynthOptions {
  /** Folder of the cloud assembly. It is written into, not emptied. */
  outdir: string;
  /** Folder whose `index.ts` stands for `#agents`. Default: the context's, else `agents/` of this project. */
  agents?: string | undefined;
  /** Folder of the function entry points. Default: `functions/` of this project. */
  functions?: string | undefined;
  /** Told what is going on, a sentence at a time. Default: standard error. */
  say?: ((sentence: string) => void) | undefined;
}

/**
 * Bundles the functions and writes the assembly; returns its folder. Rejects if a function does not build, and with
 * {@link WrongAgents} when the given folder of agents is not what they import.
 */
export async function synth({ outdir, agents, functions, say = onStderr }: SynthOptions): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'steploop-bundle-'));
  try {
    const app = newApp(outdir);
    const given = agents ?? app.node.tryGetContext('agents');
    const folder = given === undefined ? agentsFolder : resolve(String(given));
    // Other entry points than this project's import what they like.
    if (given !== undefined && functions === undefined) await checkAgents(folder, scratch);
    say('Bundling the functions.');
    const bundles = await bundleFunctions({ outdir: scratch, agents: folder, functions });
    for (const sentence of await unaskedCalls(folder, scratch)) say(sentence);
    say('Synthesizing the stack.');
    addStack(app, bundles);
    const { directory } = app.synth();
    say(`The cloud assembly is in ${directory}.`);
    return directory;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** An app that writes to this folder, and only when told to. */
export function newApp(outdir: string): App {
  return new App({
    outdir,
    autoSynth: false,
    analyticsReporting: false,
    treeMetadata: false,
    // The CLI turns asset metadata on; saying so here makes both ways give the same template.
    postCliContext: { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': false },
    context: { '@aws-cdk/aws-iam:minimizePolicies': true, '@aws-cdk/core:checkSecretUsage': true },
  });
}

export const addStack = (app: App, bundles: Bundles) => new SteploopStack(app, 'Steploop', { bundles });

const onStderr = (sentence: string) => void process.stderr.write(`${sentence}\n`);
