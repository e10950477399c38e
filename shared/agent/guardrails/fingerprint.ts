import { isTooDeep } from '../depth.ts';
import { canonicalJson, hash } from '../hash.ts';
import { isRecord } from '../merge.ts';
import type { ToolCall, ToolResult } from '../slots.ts';

/** Letters of a hash: enough to tell the calls of one run apart, few enough for a session's state. */
const LENGTH = 16;

/** The same for calls of the same tool with the same arguments, whatever the order of their keys. */
export const callKey = ({ name, input }: ToolCall): string =>
  hash(`${name}(${canonicalJson(input)})`, LENGTH);

/** Whether a result is that of a run, and not one that was made up for a call (rule 5 of loop-spec.md section 7). */
export const wasRun = ({ outcome }: ToolResult): boolean => outcome === 'ok' || outcome === 'error';

/**
 * The same for results that say the same: fields that change with every call (times, request ids, durations) are left
 * out (L6). What is empty has a fingerprint too.
 */
export const resultKey = ({ outcome, content }: ToolResult): string =>
  hash(`${outcome}:${stable(content)}`, LENGTH);

function stable(content: string): string {
  const value = /^\s*[[{]/.test(content) ? parsed(content) : undefined;
  return value === undefined
    ? content.replace(MOMENT, '').replace(REQUEST_ID, '')
    : canonicalJson(lasting(value));
}

/** `2026-01-31T12:00:00.000Z`, and what else begins so. */
const MOMENT = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g;
const REQUEST_ID = /\b(?:request|trace|correlation)[-_ ]?id\b\s*[:=]\s*\S+/gi;

/** Names of fields that change with every call, without `_` and `-`. */
const VOLATILE =
  /^(?:timestamp|ts|now|servertime|generatedat|fetchedat|checkedat|requestid|traceid|spanid|correlationid|duration(?:ms|s|seconds)?|elapsed(?:ms|s|seconds)?|latency(?:ms|s|seconds)?|took(?:ms)?)$/;

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value === 'string') return value.replace(MOMENT, '');
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([key]) => !VOLATILE.test(key.replace(/[_-]/g, '').toLowerCase()),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, lasting(inner)]));
}

/** The value of a JSON text; undefined when it is none, or too deep to be gone through. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
