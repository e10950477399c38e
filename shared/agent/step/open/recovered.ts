import { type Calling, callingOf } from '../../session/made.ts';
import { mayHaveRun } from '../../session/may-have-run.ts';
import { runOf, type Session } from '../../session/session.ts';
import {
  type AssessmentSlot,
  type FoldSlot,
  isAssessment,
  isFold,
  type ModelSlot,
  type ToolsSlot,
} from '../../session/slots.ts';
import type { Loaded } from './load.ts';

/** Slots that an earlier owner wrote and did not commit. */
export interface Recovered {
  readonly model?: ModelSlot;
  /** A fold: its step does nothing else. */
  readonly fold?: FoldSlot;
  /** An assessment: its step does nothing else. */
  readonly assessment?: AssessmentSlot;
  readonly tools?: ToolsSlot;
}

/** Slots at `version` that belong to this step; those of a run that has ended meanwhile do not. */
export function recoveredBy({ slots, view }: Loaded, session: Session): Recovered {
  const run = runOf(session);
  const find = (n: number) => slots.find((slot) => slot.n === n);
  const batchOf = (n: number, asked: Calling | undefined): Pick<Recovered, 'tools'> => {
    const tools = find(n);
    if (tools?.kind !== 'tools' || tools.replyTo !== asked?.messageId) return {};
    return isOutdated(tools, session, view.fence.intents) ? {} : { tools };
  };
  if (session.batch) return batchOf(session.version, batchReplyOf(session, slots));
  const model = find(session.version);
  if (model?.kind !== 'model' || model.runId !== run.id || model.step !== run.steps + 1) return {};
  if (isFold(model)) return { fold: model };
  if (isAssessment(model)) return { assessment: model };
  const calling = callingOf(model);
  return calling ? { model, ...batchOf(session.version + 1, calling) } : {};
}

/**
 * Whether an owner that was presumed dead wrote a batch too late: its successor has committed since, or has begun a call that
 * the batch reports as not run. The state of each call is then looked up as if the batch had not been written.
 */
const isOutdated = (
  { after, results }: ToolsSlot,
  { eventSeq }: Session,
  begun: readonly string[],
): boolean =>
  after !== eventSeq || results.some((result) => !mayHaveRun(result) && begun.includes(result.callId));

/** The reply that asked for the open batch. */
export const batchReplyOf = ({ batch }: Session, slots: Loaded['slots']): Calling | undefined =>
  callingOf(slots.find(({ n }) => n === batch?.slot));
