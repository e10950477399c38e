import { rulesOfEffect } from '../config/effects.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import { memoize } from '../plain/memoize.ts';
import { readOnce } from '../plain/read-once.ts';
import { changesItsTarget, isShell, targetOf } from '../session/facts.ts';
import { callsOf } from '../session/reply.ts';
import type { Slot, StoredReply, ToolCall, ToolResult } from '../session/slots.ts';
import type * as Shells from './shell-changes.ts';
import type { Changed } from './shell-changes.ts';
import type { Tool } from './tool.ts';
import { covers } from './touches.ts';

/** Loads the code that knows what commands change: few agents have a shell beside cacheable reads. */
export const readShells = readOnce(() => import('./shell-changes.ts'));

/** The result of an equal call that is still valid. */
export type ReadCache = (call: ToolCall) => ToolResult | undefined;

/**
 * Reads of cacheable tools in this run whose subject has not changed since, keyed by the tool and all of its arguments: lines 1
 * to 10 of a file are another key than lines 50 to 60. A pure function of the transcript, so it costs no state; reads that
 * compaction drops are simply repeated.
 *
 * A change of a file drops what was read of it, and reads that name no file (searches, listings). A command drops nothing if it
 * only reads, and what was read of its targets if they are known: from the record of the workspace, otherwise from its words.
 * Any other change or unknown effect drops everything.
 */
export async function readCache(
  history: readonly Slot[],
  runId: string,
  tools: readonly Tool[],
): Promise<ReadCache> {
  const isNeeded = tools.some(({ cacheable }) => cacheable) && tools.some((tool) => isShell(tool.name, tool));
  const shell = isNeeded ? await readShells() : undefined;
  const toolOf = (name: string) => tools.find((tool) => tool.name === name);
  let reads: Reads | undefined;
  return (call) => {
    if (!toolOf(call.name)?.cacheable) return undefined;
    reads ??= readsIn(history, runId, toolOf, shell);
    const read = reads.get(keyOf(call));
    if (!read) return undefined;
    // Notes of guards about the other call do not apply to this one.
    const { note: _note, progress: _progress, ...result } = read.result;
    return { ...result, callId: call.id, durationMs: 0, cached: true };
  };
}

interface Read {
  readonly target: string | undefined;
  readonly result: ToolResult;
}

/** Valid reads, by the calls' keys. */
type Reads = ReadonlyMap<string, Read>;

function readsIn(
  history: readonly Slot[],
  runId: string,
  toolOf: (name: string) => Tool | undefined,
  shell: typeof Shells | undefined,
): Reads {
  const kept = new Map<string, Read>();

  const ofShell = shell?.shellChanges();
  const changedBy = (call: ToolCall, result: ToolResult, tool: Tool | undefined): Changed => {
    if (tool && isShell(tool.name, tool)) return ofShell?.(call, result, tool) ?? 'everything';
    const target = tool && changesItsTarget(tool) ? targetOf(call) : undefined;
    return target === undefined ? 'everything' : [(read) => covers(read, target)];
  };
  const note = (call: ToolCall, result: ToolResult) => {
    const tool = toolOf(call.name);
    if (tool && !rulesOfEffect(tool.effect).changes) {
      if (tool.cacheable && rulesOfEffect(tool.effect).cache && result.outcome === 'ok' && !result.leftOut)
        kept.set(keyOf(call), { target: targetOf(call), result });
      return;
    }
    const changed = changedBy(call, result, tool);
    for (const [key, { target }] of kept) {
      if (changed === 'everything') kept.delete(key);
      else if (changed.some((hits) => target === undefined || hits(target))) kept.delete(key);
    }
  };

  const asked = new Map<string, ToolCall>();
  for (const slot of history) {
    if (slot.runId !== runId) continue;
    if (slot.kind === 'model') {
      asked.clear();
      for (const call of slot.reply ? callsIn(slot.reply) : []) asked.set(call.id, call);
      continue;
    }
    // Reads of a draft are no longer valid.
    if (slot.made === 'plan') kept.clear();
    for (const result of slot.results) {
      const call = asked.get(result.callId);
      if (call && result.outcome !== 'refused' && result.outcome !== 'cancelled') note(call, result);
    }
  }
  return kept;
}

const callsIn = memoize((reply: StoredReply): readonly ToolCall[] => callsOf(reply));

const keyOf = memoize((call: ToolCall): string => hash(`${call.name}(${canonicalJson(call.input)})`));
