import { commandOf, exitCodeOf, isShell, type ToolFacts } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { words } from '../../words/words.ts';
import type { Done } from '../guard.ts';
import { classify, pollsByDeclaration, waits } from './classify.ts';
import { callKey, failureKey, resultKey, wasRun } from './fingerprint.ts';
import { hasFailed } from './outcome.ts';

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
export function newsKey(call: ToolCall, result: ToolResult, tool: ToolFacts | undefined): string {
  if (result.outcome === 'error') return failureKey(call, result);
  const outcome = hasFailed(call, result, tool) ? failureKey(call, result) : resultKey(result, 'excused');
  return shortKey(call) + outcome.slice(0, LENGTH);
}

/**
 * Whether a call has brought something new: no equal call among the last ones had the same result, no call of its tool has failed
 * alike, or its tool says so.
 *
 * @param session as it was before the result
 */
export function isNews(session: Session, { call, result, tool }: Done): boolean {
  if (!wasRun(result)) return false;
  const { seen = [] } = remembered(session);
  return result.progress !== undefined || !seen.includes(newsKey(call, result, tool));
}

/** Whether a call polls, waits, looks after a step that waited, or asks again about something unfinished. */
export function isPolling(session: Session, call: ToolCall, tool: ToolFacts | undefined): boolean {
  const declared = pollsByDeclaration(tool);
  if (declared !== undefined) return declared;
  const { waited, pending = [] } = remembered(session);
  return waits(call, tool) || waited === true || pending.includes(shortKey(call));
}

/** Answers of one call from which on an old one again is no standstill, as of a die or a sensor. */
const VARIES = 3;

/** Whether a call that only looks has had so many answers. */
export const varies = (
  { seen }: Pick<Remembered, 'seen'>,
  call: ToolCall,
  tool: ToolFacts | undefined,
): boolean =>
  tool?.repeats === undefined &&
  classify(call.name, tool?.effect ?? 'unknown') === 'idempotent' &&
  seen.filter((one) => one.startsWith(shortKey(call))).length >= VARIES;

/** Whether an equal call has had another result before: the world has visibly moved. */
export const hasMoved = (session: Session, done: Done): boolean => {
  const { seen = [] } = remembered(session);
  const { call, result, tool } = done;
  const key = shortKey(call);
  return !hasFailed(call, result, tool) && isNews(session, done) && seen.some((one) => one.startsWith(key));
};

/** Whether a call has changed the world for the first time, so that looking again is not a repetition. */
export const isNewWork = (session: Session, { call, result, tool }: Done): boolean =>
  result.outcome === 'ok' &&
  exitCodeOf(result) === 0 &&
  !hasFailed(call, result, tool) &&
  classify(call.name, tool?.effect ?? 'unknown') === 'mutating' &&
  !(isShell(call.name, tool) && words().onlyLooks(commandOf(call) ?? '')) &&
  isNews(session, { call, result, tool });
