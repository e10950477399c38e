/**
 * Applies edits while a deployment runs. If only code has changed, it replaces the old code: the next invocation uses it, a
 * running invocation ends on the code that it began with, and the last good code stays if an edit is wrong. If the template would
 * change, it is synthesized again and started on the same addresses and state.
 */

import { basename, dirname, join, resolve } from 'node:path';
import { checkPlace, wrongBuild } from '../../../infra/definition/load.ts';
import { seconds } from '../../../local/amounts.ts';
import type { Site } from '../../../local/site.ts';
import type { DeploymentFacts } from '../../../shared/contract/facts.ts';
import { wrongSkills } from '../../../shared/skills/project.ts';
import { settled } from '../inputs.ts';
import type { Project } from '../project.ts';
import type { Synthesized } from '../synthesize.ts';
import { type Built, isOfSkills, type LiveBundles, openBundles } from './bundles.ts';
import { watchFiles } from './changes.ts';
import { openChecker } from './check.ts';
import { differences } from './differences.ts';

/** The running deployment. */
export interface Running {
  readonly synthesized: Synthesized;
  readonly site: Site;
}

export interface LiveOptions {
  readonly project: Project;
  /** A folder for build output. */
  readonly scratch: string;
  /** Folders that are not watched. */
  readonly unwatched: readonly string[];
  readonly running: () => Running;
  /** Synthesizes the template again and starts it. Never rejects; `why` is shown to the user. */
  readonly restart: (why: string) => Promise<void>;
  readonly say: (text: string, how?: 'wrong') => void;
}

/** Resolves when it is watching. */
export async function takeEdits(options: LiveOptions): Promise<{ close(): Promise<void> }> {
  const { project, scratch, unwatched, running, restart, say } = options;
  let bundles = await bundlesOf(running());
  const checker = openChecker();
  let built: Built | undefined;
  /** Folder of the current code of each function, by name. */
  let live: Built['folders'] = {};
  /** The last edit was wrong; the next one, of any file, may fix it. */
  let isWrong = false;
  let facts: DeploymentFacts = running().site.deployed.facts;
  let pending = new Set<string>();
  let working: Promise<void> | undefined;

  function bundlesOf({ synthesized, site }: Running): Promise<LiveBundles> {
    return openBundles({
      folder: project.folder,
      definition: synthesized.definition,
      functions: Object.keys(site.deployed.functions),
      outdir: join(scratch, 'live'),
    });
  }

  async function again(why: string): Promise<void> {
    const before = running();
    await restart(why);
    if (running() === before) return;
    await bundles.close();
    bundles = await bundlesOf(running());
    facts = running().site.deployed.facts;
    live = {};
    await warm();
  }

  /** The first build reads everything; until then the inputs of functions are not known. */
  async function warm(): Promise<void> {
    built = await bundles.build().catch(() => undefined);
    // Any next edit causes a build, and its errors are shown.
    isWrong = !built;
    if (!built) return;
    changes.also(built.inputs);
    checker.prepare(built.facts);
  }

  /** Builds the current sources, and returns them with their facts. Rejects with a sentence about what is wrong, and where. */
  async function look(paths: ReadonlySet<string>): Promise<{ next: Built; facts: DeploymentFacts }> {
    const { definition } = running().synthesized;
    await checkPlace(definition);
    const next = await bundles.build(paths).catch((error: unknown) => {
      throw wrongBuild(error, definition);
    });
    built = next;
    changes.also(next.inputs);
    const checked = await checker.check({ url: next.definition, facts: next.facts, definition });
    if ('wrong' in checked) throw new Error(checked.wrong);
    const wrong = await wrongSkills(checked.facts.agents, dirname(definition));
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return { next, facts: checked.facts };
  }

  async function rebuild(paths: ReadonlySet<string>): Promise<void> {
    const began = performance.now();
    const seen = await look(paths).catch((error: Error) => error);
    const wasWrong = isWrong;
    isWrong = seen instanceof Error;
    if (seen instanceof Error) return say(`${seen.message}\nThe last good version keeps running.`, 'wrong');
    const changed = differences(facts, seen.facts);
    if (changed.length > 0) return again(`The template changes: ${changed.join(', ')}.`);
    facts = seen.facts;
    const replaced = replace(seen.next);
    if (replaced.length === 0) return wasWrong ? say('Fixed: the running version is up to date.') : undefined;
    say(
      `Live in ${seconds(performance.now() - began)}: ${replaced.join(', ')}. Changes of system prompts and tools apply to new sessions.`,
    );
  }

  /** Replaces the code of functions where it is new. */
  function replace({ folders }: Built): string[] {
    const { stack, deployed } = running().site;
    const names = Object.keys(folders).filter((name) => live[name] !== folders[name]);
    for (const name of names) void stack.replaceCode(String(deployed.functions[name]), String(folders[name]));
    live = folders;
    return names;
  }

  async function take(paths: ReadonlySet<string>): Promise<void> {
    const ofApp = new Set([...running().synthesized.app, ...settled(project)]);
    const among = (files: ReadonlySet<string> | undefined) => [...paths].some((path) => files?.has(path));
    if ([...paths].some((path) => basename(path) === '.env')) return again('.env has changed.');
    if (among(ofApp)) return again('The app has changed.');
    const { synthesized } = running();
    if (isWrong || among(built?.inputs) || [...paths].some((path) => isOfSkills(path, synthesized)))
      return rebuild(paths);
  }

  async function work(): Promise<void> {
    while (pending.size > 0) {
      const paths = pending;
      pending = new Set();
      await take(paths).catch((error: unknown) =>
        say(error instanceof Error ? error.message : String(error), 'wrong'),
      );
    }
    working = undefined;
  }

  const changes = await watchFiles(resolve(project.folder), unwatched, (paths) => {
    for (const path of paths) pending.add(path);
    working ??= work();
  });
  working = warm().then(work);
  await working;
  return {
    async close() {
      await changes.close();
      pending.clear();
      await working;
      await Promise.all([bundles.close(), checker.close()]);
    },
  };
}
