import { rulesOfEffect } from '../config/effects.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import { memoize } from '../plain/memoize.ts';
import { changesItsTarget, commandOf, isShell, plainPath, targetOf } from '../session/facts.ts';
import { callsOf } from '../session/reply.ts';
import type { Slot, StoredReply, ToolCall, ToolResult } from '../session/slots.ts';
import { words } from '../words/words.ts';
import type { Tool } from './tool.ts';
import { covers } from './touches.ts';

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

/** The changes of a call, as tests of the path that a read names. */
type Changed = 'everything' | readonly ((read: string) => boolean)[];

/** The record lists a call's changes if it ended `ok`; an empty list stands for too many (`ToolResult.changes`). */
function recorded({ outcome, changes }: ToolResult): Changed {
  if (outcome !== 'ok' || changes?.length === 0) return 'everything';
  return (changes ?? []).map(
    ({ path }) =>
      (read) =>
        covers(read, path),
  );
}

/** Whether a call has only its command: options such as a folder, or running in the background, change what its words mean. */
const isPlainCall = ({ input }: ToolCall): boolean =>
  Object.keys(input as object).every((key) => /^(?:command|cmd|script|description|timeout\w*)$/i.test(key));

/**
 * Whether a path in a command may be the one that a read names, although the folder of the shell is not known. Only names with
 * an extension are taken for files.
 */
function mayBe(read: string, path: string): boolean {
  const name = plainPath(path).split('/').at(-1) ?? '';
  if (!FILE.test(plainPath(read)) || !FILE.test(name) || covers(read, path)) return true;
  return plainPath(read).split('/').includes(name);
}

const FILE = /[^./]\.\w{1,10}$/;

function readsIn(history: readonly Slot[], runId: string, toolOf: (name: string) => Tool | undefined): Reads {
  const kept = new Map<string, Read>();

  /** An earlier command has changed the folder, so relative paths of later ones are not known. */
  let moved = false;

  const changedBy = (call: ToolCall, result: ToolResult, tool: Tool | undefined): Changed => {
    if (!tool) return 'everything';
    if (!isShell(tool.name, tool)) {
      const target = changesItsTarget(tool) ? targetOf(call) : undefined;
      return target === undefined ? 'everything' : [(read) => covers(read, target)];
    }
    if (tool.evidence?.workspace === true) return recorded(result);
    const script = commandOf(call);
    if (script === undefined) return 'everything';
    const { changedPaths, movesOn } = words();
    moved ||= movesOn(script);
    const paths = isPlainCall(call) && result.outcome !== 'unknown' ? changedPaths(script) : undefined;
    if (!paths || (moved && paths.length > 0)) return 'everything';
    return paths.map((path) => (read) => mayBe(read, path));
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
