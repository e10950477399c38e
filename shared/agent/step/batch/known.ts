import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { texts } from '../../texts.ts';
import { notRun } from '../../tools/execute.ts';
import type { Step } from '../open/step-context.ts';

/**
 * The known facts of a batch's calls before any of them goes on, read once. A new reply is an open batch without waits, so
 * one that a dead owner has begun is looked up like any other.
 */
export interface BatchFacts {
  /** Results by call. Those that still wait have `awaits`. */
  readonly results: ReadonlyMap<string, ToolResult>;
  /** Calls whose start is on record. Without a result, their outcome is unknown. */
  readonly started: readonly string[];
  /** Answers of people to questions of calls, by call. */
  readonly answers: Readonly<Record<string, readonly string[]>>;
  /** Calls that were answered from outside. */
  readonly answered: readonly string[];
}

/**
 * The result that a call has, whatever is decided on it now. A stored result stands: a second run may give a different one,
 * while later calls already relied on the first. A start on record counts whatever effect the tool declares today, because a
 * deploy may have changed it.
 */
export const resultIn = ({ results, started }: Known, call: ToolCall): ToolResult | undefined =>
  results.get(call.id) ??
  (started.includes(call.id) ? notRun(call, 'unknown', texts.unknownOutcome) : undefined);

export type Known = Pick<BatchFacts, 'results' | 'started'>;

/** Whether an earlier step may have run calls of the batch: a step that stored the reply, or one that was closing the batch and died. */
export const mayHaveBegun = ({
  recovered,
  session,
  isRetry,
}: Pick<Step, 'recovered' | 'session' | 'isRetry'>): boolean =>
  recovered.model !== undefined || (session.batch !== undefined && isRetry);
