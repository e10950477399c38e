import type { Attachment } from '../session/attachments.ts';
import type { InputTurn, Slot } from '../session/slots.ts';

/**
 * Whether the model was asked to look at something that no reply has read yet: when its server refuses the request, that is most
 * likely why, and the request may be answered without. Pure.
 */
export function isUnread(history: readonly Slot[], input: readonly InputTurn[]): boolean {
  if (input.some(isSeen)) return true;
  for (const slot of history.toReversed()) {
    if (slot.kind === 'model' && (slot.reply || slot.unseen)) return false;
    if ((slot.kind === 'model' ? slot.input : slot.results).some(isSeen)) return true;
  }
  return false;
}

const isSeen = ({ attachments = [] }: { readonly attachments?: readonly Attachment[] }): boolean =>
  attachments.some(({ as }) => as !== 'file');
