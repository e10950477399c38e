import type { Folded, FoldMessage, FoldReason } from './events.ts';

/** Every {@link FoldReason}. */
export const foldReasons = [
  'size',
  'refused',
  'exhausted',
  'budget',
  'thinking',
] as const satisfies readonly FoldReason[];

/** A fold as one of the messages, under the same id for every reader. */
export const foldMessage = (content: Folded): FoldMessage => ({
  id: `fold-${content.slot}`,
  role: 'activity',
  activityType: 'steploop.folded',
  content,
});
