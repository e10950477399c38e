/**
 * The value that a button sends back: what it is about, and where. The place of the button does not tell that: a
 * message at the top level of direct messages has a `thread_ts` of its own once it has a reply, and then looks like a
 * thread.
 *
 * Only the thread of the place is in the value. Workspace and channel come from Slack at the click, so a forged value
 * cannot reach anything outside of the channel of the click.
 */

import type { Target } from './api.ts';

/** Stands for the top level of direct messages. */
const TOP = 'top';

/** The value of a button about `id`, a run's or a wait's. */
export const buttonValue = (id: string, at: Target | undefined): string =>
  at ? `${id}@${at.thread ?? TOP}` : id;

/**
 * Reads a value. One without `at` belongs to a button from before values contained the place: it is then the place of
 * the button.
 */
export function readButtonValue(value: string): { id: string; at?: { thread?: string } } {
  const [, id = value, thread] = /^(.*)@(top|\d+\.\d+)$/.exec(value) ?? [];
  if (thread === undefined) return { id };
  return { id, at: thread === TOP ? {} : { thread } };
}
