import { isRecord } from '../../plain/merge.ts';
import { isAnswer, proofOf, type ToolFacts, tellsFailure } from '../../session/facts.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { failureKey, jsonOr, resultKey } from './fingerprint.ts';

/** Characters of a result that are looked at. */
const LOOKED_AT = 10_000;

/**
 * Whether a call has failed, for the guards with `news: 'excused'`: an error, an exit code, a result that says so in a field
 * (`isError`, `ok: false` with an error), the pattern that its tool declares, or a text that reports a failure. A search that
 * finds nothing has not.
 */
export function hasFailed(call: ToolCall, result: ToolResult, tool: ToolFacts | undefined): boolean {
  if (result.outcome !== 'ok') return result.outcome === 'error' || result.outcome === 'unknown';
  if (tool?.evidence?.fails !== undefined) return saysFailure(tool.evidence.fails, result.content);
  if (isAnswer(call, result, tool)) return (proofOf(call, result, tool).verified?.exitCode ?? 0) !== 0;
  if (result.exitCode !== undefined) return result.exitCode !== 0;
  const value = jsonOr(result.content);
  if (isRecord(value)) return fieldsSayFailure(value);
  // A text is a report if its tool does something; a page that contains "FAILED" is a page.
  const reports = tool?.effect !== 'read' || proofOf(call, result, tool).verified !== undefined;
  return reports && tellsFailure(result);
}

const REFUSES = ['ok', 'success', 'succeeded'];

const fieldsSayFailure = (value: Readonly<Record<string, unknown>>): boolean =>
  value.isError === true ||
  value.is_error === true ||
  (REFUSES.some((key) => value[key] === false) && typeof (value.error ?? value.message) === 'string');

const saysFailure = (pattern: string, content: string): boolean =>
  new RegExp(pattern).test(content.slice(0, LOOKED_AT));

/** Equal for results of equal calls that mean the same: as {@link failureKey} if the call has failed, as its result otherwise. */
export const outcomeKey = (call: ToolCall, result: ToolResult, tool: ToolFacts | undefined): string =>
  hasFailed(call, result, tool) ? failureKey(call, result) : resultKey(result, 'excused');

/** Failures that may pass by themselves. */
const PASSING =
  /\b(?:408|425|429|502|503|504)\b|too many requests|service (?:is )?(?:temporarily )?unavailable|bad gateway|gateway time-?out|rate.?limit|temporarily|try again (?:later|in)|ETIMEDOUT|ECONNRESET|EAI_AGAIN|connection (?:was )?reset/i;

/** Whether a failure may pass by itself, so that the same call again is no loop yet. */
export const maySucceedLater = (call: ToolCall, result: ToolResult, tool: ToolFacts | undefined): boolean =>
  hasFailed(call, result, tool) && PASSING.test(result.content.slice(0, LOOKED_AT));

/** Names of fields that say how much a change has done. */
const DONE = /^(?:affected(?:rows)?|rowsaffected|deleted(?:count|rows)?|removed|moved|archived|processed)$/;

/** Whether a result says that the call has done a part of its work: the same call may do the next part. */
export function didPart({ outcome, content }: ToolResult): boolean {
  const value = outcome === 'ok' ? jsonOr(content) : undefined;
  return (
    isRecord(value) &&
    Object.entries(value).some(
      ([key, much]) =>
        DONE.test(key.replace(/[_-]/g, '').toLowerCase()) && typeof much === 'number' && much > 0,
    )
  );
}

/** Whether the tool declares this result to be a mere confirmation. */
export const confirms = ({ outcome, content }: ToolResult, tool: ToolFacts | undefined): boolean =>
  outcome === 'ok' && (tool?.acknowledges ?? []).includes(content.trim());
