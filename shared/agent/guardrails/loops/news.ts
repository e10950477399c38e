import { commandOf, exitCodeOf, isShell, type ToolFacts } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { words } from '../../words/words.ts';
import type { Done } from '../guard.ts';
import { classify, waits } from './classify.ts';
import { callKey, failureKey, resultKey, wasRun } from './fingerprint.ts';

/** Letters of the two hashes that represent a call and its result: enough for the last few dozen. */
const LENGTH = 8;

/** The slice of `cycles.ts`, which remembers the last calls with their results. */
export type Remembered = {
  readonly seen: readonly string[];
  /** The previous step did nothing but wait. */
  readonly waited: boolean;
  /** Calls whose last result said that something is not finished yet. */
  readonly pending: readonly string[];
};

const remembered = ({ metadata }: Session) => (metadata.guardrails.cycles ?? {}) as Partial<Remembered>;

/** A short key of a call. */
export const shortKey = (call: ToolCall): string => callKey(call, 'excused').slice(0, LENGTH);

/**
 * A short key of a call with its result; it begins with the key of the call. A failed call has the key of all calls of its tool
 * that fail alike.
 */
export const newsKey = (call: ToolCall, result: ToolResult): string =>
  result.outcome === 'error' ? failureKey(call, result) : shortKey(call) + resultKey(result).slice(0, LENGTH);

/**
 * Whether a call has brought something new: no equal call among the last ones had the same result, no call of its tool has failed
 * alike, or its tool says so.
 *
 * @param session as it was before the result
 */
export function isNews(session: Session, call: ToolCall, result: ToolResult): boolean {
  if (!wasRun(result)) return false;
  const { seen = [] } = remembered(session);
  return result.progress !== undefined || !seen.includes(newsKey(call, result));
}

/** Whether a call polls, waits, looks after a step that waited, or asks again about something unfinished. */
export function isPolling(session: Session, call: ToolCall, tool: ToolFacts | undefined): boolean {
  if (tool?.poll !== undefined) return tool.poll;
  const { waited, pending = [] } = remembered(session);
  return waits(call, tool) || waited === true || pending.includes(shortKey(call));
}

/** Whether a call has changed the world for the first time, so that looking again is not a repetition. */
export const isNewWork = (session: Session, { call, result, tool }: Done): boolean =>
  result.outcome === 'ok' &&
  exitCodeOf(result) === 0 &&
  classify(call.name, tool?.effect ?? 'unknown') === 'mutating' &&
  !(isShell(call.name, tool) && words().onlyLooks(commandOf(call) ?? '')) &&
  isNews(session, call, result);
