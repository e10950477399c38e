import { type Calling, callingOf } from '../session/made.ts';
import { runOf, type Session } from '../session/session.ts';
import { type FoldSlot, isFold, type ModelSlot, type ToolsSlot } from '../session/slots.ts';
import type { Loaded } from './load.ts';

/** What an earlier owner wrote and did not commit. */
export interface Adopted {
  readonly model?: ModelSlot;
  /** A fold, in place of all else: its step does nothing but fold. */
  readonly fold?: FoldSlot;
  readonly tools?: ToolsSlot;
}

/** Slots at `version` that belong to this very step; those of a run that has ended meanwhile do not. */
export function adoptedBy({ slots }: Loaded, session: Session): Adopted {
  const run = runOf(session);
  const find = (n: number) => slots.find((slot) => slot.n === n);
  if (session.batch) {
    const tools = find(session.version);
    return tools?.kind === 'tools' && tools.replyTo === batchReplyOf(session, slots)?.messageId
      ? { tools }
      : {};
  }
  const model = find(session.version);
  if (model?.kind !== 'model' || model.runId !== run.id || model.step !== run.steps + 1) return {};
  if (isFold(model)) return { fold: model };
  const calling = callingOf(model);
  if (!calling) return {};
  const tools = find(session.version + 1);
  if (tools?.kind !== 'tools' || tools.replyTo !== calling.messageId) return { model };
  return { model, tools };
}

/** What has asked for the batch that is open. */
export const batchReplyOf = ({ batch }: Session, slots: Loaded['slots']): Calling | undefined =>
  callingOf(slots.find(({ n }) => n === batch?.slot));
