/**
 * The mark on the agent's own comments: an HTML comment, which GitHub stores and does not show. It tells readers of the source
 * which call wrote the comment, and tells `webhook.ts` not to answer it.
 */

const opening = '<!-- steploop:';

export const mark = (text: string, idempotencyKey: string): string =>
  `${text}\n\n${opening}${idempotencyKey.replaceAll(/[^\w.:-]/g, '_')} -->`;

export const isMarked = (text: string): boolean => text.includes(opening);
