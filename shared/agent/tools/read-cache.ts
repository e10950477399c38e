import { rulesOfEffect } from '../config/effects.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import { memoize } from '../plain/memoize.ts';
import { changesItsTarget, isShell, targetOf } from '../session/facts.ts';
import { callsOf } from '../session/reply.ts';
import type { Slot, StoredReply, ToolCall, ToolResult } from '../session/slots.ts';
import type { Tool } from './tool.ts';
import { covers } from './touches.ts';

/** The result of an equal call that is still valid. */
export type ReadCache = (call: ToolCall) => ToolResult | undefined;

/**
 * Reads of cacheable tools in this run whose subject has not changed since, keyed by the tool and all of its arguments: lines 1
 * to 10 of a file are another key than lines 50 to 60. A pure function of the transcript, so it costs no state; reads that
 * compaction drops are simply repeated.
 *
 * A change of a file drops what was read of it, and reads that name no file (searches, listings). A change that names no file,
 * and any command or unknown effect, drops everything.
 */
export function readCache(history: readonly Slot[], runId: string, tools: readonly Tool[]): ReadCache {
  const toolOf = (name: string) => tools.find((tool) => tool.name === name);
  let reads: Reads | undefined;
  return (call) => {
    if (!toolOf(call.name)?.cacheable) return undefined;
    reads ??= readsIn(history, runId, toolOf);
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

function readsIn(history: readonly Slot[], runId: string, toolOf: (name: string) => Tool | undefined): Reads {
  const kept = new Map<string, Read>();

  const note = (call: ToolCall, result: ToolResult) => {
    const tool = toolOf(call.name);
    if (tool && !rulesOfEffect(tool.effect).changes) {
      if (tool.cacheable && rulesOfEffect(tool.effect).cache && result.outcome === 'ok' && !result.leftOut)
        kept.set(keyOf(call), { target: targetOf(call), result });
      return;
    }
    const target = tool && changesItsTarget(tool) && !isShell(tool.name, tool) ? targetOf(call) : undefined;
    for (const [key, read] of kept) {
      if (!target || !read.target || covers(read.target, target)) kept.delete(key);
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
