import { runOf, type Session } from '../session/session.ts';
import { type FoldSlot, isFold, type ModelSlot, type StoredReply, type ToolsSlot } from '../session/slots.ts';
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
  if (!model.reply) return {};
  const tools = find(session.version + 1);
  if (tools?.kind !== 'tools' || tools.replyTo !== model.reply.messageId) return { model };
  return { model, tools };
}

/** The reply whose batch is open. */
export function batchReplyOf({ batch }: Session, slots: Loaded['slots']): StoredReply | undefined {
  const slot = slots.find(({ n }) => n === batch?.slot);
  return slot?.kind === 'model' ? slot.reply : undefined;
}
