/** The tools of the simulated agent that work on the files of their session, and the simulator's own records of it. */

import { hash } from '../../shared/agent/plain/hash.ts';
import type { Workspace } from '../../shared/agent/workspace/workspace.ts';
import { Unreachable } from './network.ts';
import { withSent } from './sent.ts';
import type { World } from './world.ts';

/** Content of a file; undefined if there is none. */
export type Held = string | undefined;

/** One run of a tool: the files that it saw, and what it made of them. */
export interface EditRun {
  /** The result contains it, so that a kept result can be matched to its run. */
  readonly id: string;
  /** The invocation that ran it. */
  readonly by: string;
  /** Numbers of the events at which it began, and at which it had made all its changes; 0 until then. */
  readonly startedAt: number;
  /** Number of the event at which its owner had claimed the session: what is stored since, that owner may not have read. */
  readonly claimedAt: number;
  endedAt: number;
  readonly read: (readonly [path: string, held: Held])[];
  /** Paths that it changed. Writing the same content again is not a change. */
  readonly wrote: Map<string, Held>;
  /** All paths as it saw them; undefined if it did not look. */
  listed: string | undefined;
}

/** Sessions have few files, so that calls collide on them. */
const paths = ['file-0', 'file-1', 'file-2', 'docs/a', 'docs/b'];

/** How a workspace says that there is no room for a file. */
const NO_ROOM = /the workspace has (?:room for|at most)|is a folder|is a file, and no folder/;

/** A number derived from the call, so that its tool does the same when it runs again on the same files. */
const drawn = (callId: string): number => Number.parseInt(hash(callId).slice(0, 8), 16);

/**
 * Looks at files, waits, and changes them. A tool that only reads is refused the change.
 * @param file the file that the tool declares, if it does
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
      // The tool owns the bytes that it got.
      bytes.fill(0);
      return text;
    } catch (error) {
      if (error instanceof Error && !(error instanceof Unreachable) && error.message.includes('missing'))
        ledger.violate('31 every named file can be read', `${callId}: ${error.message}`);
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
    if (!refused) ledger.violate('31 a read-only call changes nothing', `${callId} has written ${first}`);
    return;
  }
  const change = async (path: string, after: Held) => {
    const was = await held(path);
    if (after === undefined) await workspace.remove(path);
    else if (await isRefused(path, after)) return;
    if (after !== was) run.wrote.set(path, after);
    const now = await held(path);
    if (now !== after) ledger.violate('31 a call reads its own writes', `${callId}: ${path} is ${now}`);
  };
  /** Writes. If there is no room, the workspace must say so. */
  const isRefused = async (path: string, after: string): Promise<boolean> => {
    const there = new Map((await workspace.list()).map((file) => [file.path, 'x'.repeat(file.bytes)]));
    const fits = withSent(there, [{ path, text: after }], room).refused.length === 0;
    const bytes = new TextEncoder().encode(after);
    const writing = workspace.write(path, bytes);
    const why = await writing.then(
      () => undefined,
      (error: unknown) => error,
    );
    // The tool may change its bytes after it has passed them on.
    bytes.fill(0);
    const isFull = why instanceof Error && NO_ROOM.test(why.message);
    if (why && !isFull) throw why;
    if (fits === isFull)
      ledger.violate('31 files are written exactly if there is room', `${callId}: ${path}, ${why}`);
    return isFull;
  };
  if (before !== undefined && chance % 5 === 0) await change(first, undefined);
  // Sometimes the same content as others wrote, which is stored once.
  else
    await change(first, chance % 7 === 0 ? 'the same' : `${callId} over ${hash(before ?? '').slice(0, 8)}`);
  if (second && second !== first && chance % 2 === 0) await change(second, `${callId} beside`);
  run.endedAt = scheduler.events;
}

const at = (chance: number): string => paths[(chance >>> 0) % paths.length] ?? '';
