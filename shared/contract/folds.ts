import type { Folded, FoldMessage, FoldWhy } from './events.ts';

/** Every {@link FoldWhy}. */
export const foldReasons = [
  'size',
  'refused',
  'exhausted',
  'budget',
  'thinking',
] as const satisfies readonly FoldWhy[];

/** A fold as one of the messages, under the same id for everybody. */
export const foldMessage = (content: Folded): FoldMessage => ({
  id: `fold-${content.slot}`,
  role: 'activity',
  activityType: 'steploop.folded',
  content,
});
