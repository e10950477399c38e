import { own } from '../../plain/merge.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import type { OpenBatch } from '../../session/waits.ts';
import type { Step } from '../open/step-context.ts';
import { type BatchFacts, mayHaveBegun } from './known.ts';
import { readAwaiting } from './read-awaiting.ts';

/**
 * Reads the facts of a batch. A call whose time is over, or whose run ends, is settled as unanswered here.
 *
 * @param ends nothing more is to start
 */
export async function factsOf(
  step: Pick<Step, 'io' | 'isRetry' | 'loaded' | 'recovered' | 'session' | 'tools'>,
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

/** Whether a call of the batch is, or may have been, answered later, or has asked a person. */
function mayAwait(
  step: Pick<Step, 'isRetry' | 'loaded' | 'recovered' | 'session'>,
  { waits, deferred, answers }: OpenBatch,
  kept: readonly ToolResult[],
): boolean {
  const { pending, intents, started } = step.loaded.view.fence;
  const mayWait = (id: string) => !pending.includes(id) || own(started, id) !== undefined;
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
          (own(started, id)?.again || !kept.some((result) => result.callId === callId))),
    )
  );
}
