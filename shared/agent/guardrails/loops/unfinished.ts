import { isRecord } from '../../plain/merge.ts';
import type { ToolFacts } from '../../session/facts.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { classify, tokensOf } from './classify.ts';
import { jsonOr } from './fingerprint.ts';

/** Names of fields that state progress, without `_` and `-`. */
const STATUS = /(?:status|state|phase)$/i;
const NOT_YET =
  /(?<![a-z])(?<!\b(?:no|not|0) )(?:pending|queued|running|in[ _-]?progress|processing|waiting|creating|starting|provisioning|initiali[sz]ing|scheduled|not[ _-]?ready)(?![a-z])/i;

/** Characters of a text that is only a status, and levels and items of a value that are examined. */
const SHORT = 60;
const DEPTH = 4;
const ITEMS = 8;

/** Names of tools whose texts are content, and do not state the tool's progress. */
const TEXTS = /^(?:logs?|tail|files?|search|grep|find)$/;

/**
 * Whether a call only looks, and its result says that its subject is not finished yet: in a field for it, or in a few words that
 * do not repeat the call.
 */
export function isUnfinished(
  call: ToolCall,
  { outcome, content }: ToolResult,
  tool: ToolFacts | undefined,
): boolean {
  if (outcome !== 'ok' || classify(call.name, tool?.effect ?? 'unknown') === 'mutating') return false;
  const value = jsonOr(content);
  if (typeof value !== 'string') return says(value, false, DEPTH);
  if (value.length > SHORT || tokensOf(call.name).some((token) => TEXTS.test(token))) return false;
  const word = NOT_YET.exec(value)?.[0];
  return (
    word !== undefined &&
    !JSON.stringify(call.input ?? '')
      .toLowerCase()
      .includes(word.toLowerCase())
  );
}

/**
 * @param status whether the value is that of a field that states progress
 */
function says(value: unknown, status: boolean, levels: number): boolean {
  if (typeof value === 'string') return status && value.length <= SHORT && NOT_YET.test(value);
  if (levels === 0) return false;
  if (Array.isArray(value))
    return value.length <= ITEMS && value.some((item) => says(item, status, levels - 1));
  return (
    isRecord(value) &&
    Object.entries(value).some(([key, inner]) => says(inner, status || STATUS.test(key), levels - 1))
  );
}
