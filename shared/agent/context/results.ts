import { memoize } from '../plain/memoize.ts';
import { isRecord } from '../plain/merge.ts';
import { wellFormed } from '../plain/well-formed.ts';
import type { Block, ToolResult, ToolsSlot } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { cleared } from './clear.ts';
import { type Folded, isCleared } from './folded.ts';
import type { Part } from './joined.ts';
import { attachedBlocks, refusedBlocks } from './media.ts';
import { isOmitted, type Omission } from './omissions.ts';

/**
 * A batch's results: as they came, as cleared lines, or, if a raised budget leaves one of several whole, a mix.
 *
 * @param gone ids of calls that the model does not read, and whose results it cannot read either
 */
export function resultsIn(
  fold: Folded | undefined,
  slot: ToolsSlot,
  omission: Omission | undefined,
  gone: ReadonlySet<string>,
): Part {
  if (omission || slot.results.some(({ callId }) => gone.has(callId)))
    return leftOf(fold, slot, omission, gone);
  const isOld = (result: ToolResult) => isCleared(fold, slot, result);
  if (!slot.results.some(isOld)) return wholeOf(slot);
  if (slot.results.every(isOld)) return clearedOf(slot);
  return slot.results.map((result) => toResultBlock(result, isOld(result)));
}

/** The results of a batch, without the parts that the model does not read. */
function leftOf(
  fold: Folded | undefined,
  slot: ToolsSlot,
  omission: Omission | undefined,
  gone: ReadonlySet<string>,
): Part {
  return slot.results.flatMap((result, at) => {
    if (gone.has(result.callId)) return [];
    if (omission && isOmitted(omission.results, at)) return [noticed(result, omission.why)];
    const shown = omission?.media ? refusedBlocks : attachedBlocks;
    return [toResultBlock(result, isCleared(fold, slot, result), shown)];
  });
}

const wholeOf = memoize(({ results }: ToolsSlot): Part => results.map((one) => toResultBlock(one, false)));
const clearedOf = memoize(({ results }: ToolsSlot): Part => results.map((one) => toResultBlock(one, true)));

function toResultBlock(result: ToolResult, isOld: boolean, shown = attachedBlocks): Block {
  const old = isOld ? (cleared(result) ?? (result.attachments && annotated(result))) : undefined;
  return wellFormed(blockOf(result, old ?? withAttachments(result, shown)));
}

function blockOf({ callId, outcome }: ToolResult, content: string | readonly Block[]): Block {
  const block = { type: 'tool_result', tool_use_id: callId, content };
  return outcome === 'ok' ? block : { ...block, is_error: true };
}

const noticed = (result: ToolResult, why: Omission['why']): Block =>
  blockOf(result, texts.omitted.result[why]);

function withAttachments(result: ToolResult, shown: typeof attachedBlocks): string | readonly Block[] {
  const text = annotated(result);
  return result.attachments ? [{ type: 'text', text }, ...shown(result.attachments)] : text;
}

/** A result with a guard's note: a field of an object, a line after a text, and a wrapper around anything else. */
function annotated({ content, json, blob, note }: ToolResult): string {
  if (!note) return content;
  const value: unknown = json && !blob ? JSON.parse(content) : content;
  if (typeof value === 'string') return content + texts.loopNote(note.message);
  return JSON.stringify(isRecord(value) ? { ...value, _loop_guard: note } : { value, _loop_guard: note });
}
