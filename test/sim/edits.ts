/** What the tools of the simulated agent do with the files of their session, and what the simulator keeps of it. */

import { hash } from '../../shared/agent/plain/hash.ts';
import type { Workspace } from '../../shared/agent/workspace/workspace.ts';
import { Unreachable } from './network.ts';
import { withSent } from './sent.ts';
import type { World } from './world.ts';

/** What a file holds; undefined where there is none. */
export type Held = string | undefined;

/** One time that a tool has run: what it has seen of the files, and what it has made of them. */
export interface EditRun {
  /** Its result says so: that is how a result that is kept is known to be of this run. */
  readonly id: string;
  /** The invocation that has run it. */
  readonly by: string;
  /** Events that had happened when it began, and when it had made all its changes; 0 until then. */
  readonly startedAt: number;
  endedAt: number;
  readonly read: (readonly [path: string, held: Held])[];
  /** What it leaves otherwise than it was: what is written as it was before is no change. */
  readonly wrote: Map<string, Held>;
  /** All paths as it has seen them; undefined where it has not looked. */
  listed: string | undefined;
}

/** Files of which sessions have few, so that calls meet at them. */
const paths = ['file-0', 'file-1', 'file-2', 'docs/a', 'docs/b'];

/** How a workspace says that there is no place for a file. */
const NO_ROOM = /the workspace has (?:room for|at most)|is a folder|is a file, and no folder/;

/** A number that a call always has: run again from the same files, its tool does the same. */
const drawn = (callId: string): number => Number.parseInt(hash(callId).slice(0, 8), 16);

/**
 * Looks at files, waits, and changes them, unless its tool only reads: then it is refused.
 *
 * @param file the one that it is about, where its tool says that
 */
export async function edit(
  { scheduler, ledger, workload: { room } }: World,
  run: EditRun,
  { callId, reads, file }: { readonly callId: string; readonly reads: boolean; readonly file?: string },
  workspace: Workspace,
  pause: () => Promise<void>,
): Promise<void> {
  const chance = drawn(callId);
  const [first = '', second = ''] = file ? [file] : [at(chance), at(chance >> 3)];
  const held = async (path: string): Promise<Held> => {
    if (!(await workspace.stat(path))) return undefined;
    try {
      const bytes = await workspace.read(path);
      const text = new TextDecoder().decode(bytes);
      // What it was handed is its own.
      bytes.fill(0);
      return text;
    } catch (error) {
      if (error instanceof Error && !(error instanceof Unreachable) && error.message.includes('missing'))
        ledger.violate('31 what is named can be read', `${callId}: ${error.message}`);
      throw error;
    }
  };
  for (const path of second ? [first, second] : [first]) run.read.push([path, await held(path)]);
  if (!file && chance % 3 === 0) run.listed = (await workspace.list()).map(({ path }) => path).join();
  await pause();

  const [, before] = run.read[0] ?? [];
  if (reads) {
    if (chance % 4 > 0) return;
    const refused = await workspace.write(first, callId).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!refused) ledger.violate('31 who only reads changes nothing', `${callId} has written ${first}`);
    return;
  }
  const change = async (path: string, after: Held) => {
    const was = await held(path);
    if (after === undefined) await workspace.remove(path);
    else if (await isRefused(path, after)) return;
    if (after !== was) run.wrote.set(path, after);
    const now = await held(path);
    if (now !== after) ledger.violate('31 a call reads what it has written', `${callId}: ${path} is ${now}`);
  };
  /** Writes, unless there is no room: then it is to say so. */
  const isRefused = async (path: string, after: string): Promise<boolean> => {
    const there = new Map((await workspace.list()).map((file) => [file.path, 'x'.repeat(file.bytes)]));
    const fits = withSent(there, [{ path, text: after }], room).refused.length === 0;
    const bytes = new TextEncoder().encode(after);
    const writing = workspace.write(path, bytes);
    const why = await writing.then(
      () => undefined,
      (error: unknown) => error,
    );
    // What it has handed over is its own no longer, whatever it does with it.
    bytes.fill(0);
    const isFull = why instanceof Error && NO_ROOM.test(why.message);
    if (why && !isFull) throw why;
    if (fits === isFull)
      ledger.violate('31 what has room is written, and nothing else', `${callId}: ${path}, ${why}`);
    return isFull;
  };
  if (before !== undefined && chance % 5 === 0) await change(first, undefined);
  // At times the same as others have written: it is kept once.
  else
    await change(first, chance % 7 === 0 ? 'the same' : `${callId} over ${hash(before ?? '').slice(0, 8)}`);
  if (second && second !== first && chance % 2 === 0) await change(second, `${callId} beside`);
  run.endedAt = scheduler.events;
}

const at = (chance: number): string => paths[(chance >>> 0) % paths.length] ?? '';
