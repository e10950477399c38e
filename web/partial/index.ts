/**
 * `steploop/partial`: what is there of an object that is still being written. It needs `partial-json`, which comes with this package.
 */

import { parse } from 'partial-json';

/** What is there of a value that is still being written: any of it may be missing, and texts and lists may be short. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? Partially<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Partially<T[Key]> }
    : T;

/**
 * What is there by now of an answer that is an object, from the text of the message that it is written in (`MessageItem.text`):
 * undefined before it begins, and when the text is none. It is what the model says, unchecked: what counts is
 * `result.object` at the end of the run.
 *
 * @example
 * const last = view.items.findLast((item) => item.kind === 'message' && item.role === 'assistant');
 * show(partialAnswer<AnswerOf<typeof triage>>(last.text));
 */
export function partialAnswer<Answer = unknown>(text: string): Partially<Answer> | undefined {
  // Words before it may have braces too.
  const start = text.search(/\{\s*(?:["}]|$)/);
  if (start < 0) return undefined;
  try {
    return parse(text.slice(start)) as Partially<Answer>;
  } catch {
    return undefined;
  }
}
