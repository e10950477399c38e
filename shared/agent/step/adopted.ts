import { type Calling, callingOf } from '../session/made.ts';
import { runOf, type Session } from '../session/session.ts';
import { type FoldSlot, isFold, type ModelSlot, type ToolsSlot } from '../session/slots.ts';
import type { Loaded } from './load.ts';
import { mayHaveRun } from './waits.ts';

/** What an earlier owner wrote and did not commit. */
export interface Adopted {
  readonly model?: ModelSlot;
  /** A fold, in place of all else: its step does nothing but fold. */
  readonly fold?: FoldSlot;
  readonly tools?: ToolsSlot;
}

/** Slots at `version` that belong to this very step; those of a run that has ended meanwhile do not. */
export function adoptedBy({ slots, view }: Loaded, session: Session): Adopted {
  const run = runOf(session);
  const find = (n: number) => slots.find((slot) => slot.n === n);
  const batchOf = (n: number, asked: Calling | undefined): Pick<Adopted, 'tools'> => {
    const tools = find(n);
    const isOf = tools?.kind === 'tools' && tools.replyTo === asked?.messageId;
    return isOf && !isOutdated(tools, view.fence.intents) ? { tools } : {};
  };
  if (session.batch) return batchOf(session.version, batchReplyOf(session, slots));
  const model = find(session.version);
  if (model?.kind !== 'model' || model.runId !== run.id || model.step !== run.steps + 1) return {};
  if (isFold(model)) return { fold: model };
  const calling = callingOf(model);
  return calling ? { model, ...batchOf(session.version + 1, calling) } : {};
}

/**
 * Whether a batch says of a call that it was not run, and the call has begun: an owner that was taken for dead wrote it after its
 * successor had begun the call. What is known of each call by now is looked up then, as if nothing had been written.
 */
const isOutdated = ({ results }: ToolsSlot, begun: readonly string[]): boolean =>
  begun.length > 0 && results.some((result) => !mayHaveRun(result) && begun.includes(result.callId));

/** What has asked for the batch that is open. */
export const batchReplyOf = ({ batch }: Session, slots: Loaded['slots']): Calling | undefined =>
  callingOf(slots.find(({ n }) => n === batch?.slot));
