/**
 * `steploop/partial`: the finished part of an object that is still being written. It needs `partial-json`, which comes
 * with this package.
 */

import { parse } from 'partial-json';

/** A value that is still being written: any part may be missing, and texts and lists may be incomplete. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? Partially<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Partially<T[Key]> }
    : T;

/**
 * The finished part of a structured answer, from the text of the message that contains it (`MessageItem.text`):
 * undefined before it begins, and if the text contains none. It is the model's unchecked output: the final answer is
 * `result.object` at the end of the run.
 *
 * @example
 * const last = view.items.findLast((item) => item.kind === 'message' && item.role === 'assistant');
 * show(partialAnswer<AnswerOf<typeof triage>>(last.text));
 */
export function partialAnswer<Answer = unknown>(text: string): Partially<Answer> | undefined {
  // The words before it may contain braces too.
  const start = text.search(/\{\s*(?:["}]|$)/);
  if (start < 0) return undefined;
  try {
    return parse(text.slice(start)) as Partially<Answer>;
  } catch {
    return undefined;
  }
}
