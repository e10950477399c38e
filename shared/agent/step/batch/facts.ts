import type { ToolCall, ToolResult } from '../../session/slots.ts';
import type { OpenBatch } from '../../session/waits.ts';
import type { Step } from '../open/step-context.ts';
import { readAwaiting } from './read-awaiting.ts';

/**
 * What is known of the calls of a batch before any of them goes on, read once. A new reply is an open batch without waits, so
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
 * Reads them. A call whose time is over, or whose run ends, is settled as unanswered here.
 *
 * @param ends nothing more is to start
 */
export async function factsOf(
  step: Step,
  batch: OpenBatch,
  calls: readonly ToolCall[],
  ends: boolean,
): Promise<BatchFacts> {
  const { loaded, session, io, recovered } = step;
  const started = loaded.view.fence.intents;
  const isNew = session.batch === undefined;
  if (isNew && started.length === 0 && !recovered.model && !ends) return { ...none, started };
  const kept = await io.sessions.results(loaded.key, batch.slot);
  const late = mayAwait(step, batch, kept)
    ? await (await readAwaiting()).findLate(step, batch, calls, kept, ends)
    : none;
  // The facts that this step knows take precedence: a worker that was presumed dead may have stored a result since.
  const found = [...(batch.unrun ?? []), ...late.found, ...kept];
  const results = new Map(found.toReversed().map((result) => [result.callId, result]));
  return { results, started, answers: late.answers, answered: late.answered };
}

const none = { results: new Map<string, ToolResult>(), found: [], answers: {}, answered: [] };

/** Whether an earlier step may have run calls of the batch: a step that stored the reply, or one that was closing the batch and died. */
export const mayHaveBegun = ({ recovered, session, isRetry }: Step): boolean =>
  recovered.model !== undefined || (session.batch !== undefined && isRetry);

/** Whether a call of the batch is, or may have been, answered later, or has asked a person. */
function mayAwait(step: Step, { waits, deferred, answers }: OpenBatch, kept: readonly ToolResult[]): boolean {
  const { pending, intents, started } = step.loaded.view.fence;
  const mayWait = (id: string) => !pending.includes(id) || started[id] !== undefined;
  return (
    mayHaveBegun(step) ||
    deferred !== undefined ||
    answers !== undefined ||
    intents.length > 0 ||
    waits.some(
      ({ id, kind, callId, again }) =>
        again ||
        (kind === 'call' &&
          mayWait(id) &&
          (started[id]?.again || !kept.some((result) => result.callId === callId))),
    )
  );
}
