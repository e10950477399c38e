/**
 * What a button sends back: whose it is, and where. Where it stands does not say so: a message at the top level of
 * direct messages has a `thread_ts` of its own once somebody has replied to it, and looks like a thread.
 *
 * Of the place only the thread is in it. Workspace and channel are Slack's word at the click, so that a value which
 * somebody made up leads to nothing outside of the channel where they clicked.
 */

import type { Target } from './api.ts';

/** Stands for the top level of direct messages. */
const TOP = 'top';

/** The value of a button about `id`, a run's or a wait's. */
export const buttonValue = (id: string, at: Target | undefined): string =>
  at ? `${id}@${at.thread ?? TOP}` : id;

/** What a value says. Without `at` it is of a button from before values said where: then it is where it stands. */
export function readButtonValue(value: string): { id: string; at?: { thread?: string } } {
  const [, id = value, thread] = /^(.*)@(top|\d+\.\d+)$/.exec(value) ?? [];
  if (thread === undefined) return { id };
  return { id, at: thread === TOP ? {} : { thread } };
}
