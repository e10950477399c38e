/** Whether someone's data is to be deleted. The sweeper asks each minute, and loads the rest of it only then. */

import { duePages } from './due-index.ts';
import type { Dynamo } from './dynamo.ts';
import { peopleShard } from './layout.ts';

/** Deletions of people's data on one page of those that are due. */
const PAGE = 20;

/** Index entries of deletions that are due at `now`, a page at a time. */
export const deletionsDue = (dynamo: Dynamo, now: number) => duePages(dynamo, peopleShard, now, PAGE);

export async function isSomeoneDue(dynamo: Dynamo, now: number): Promise<boolean> {
  for await (const { items } of deletionsDue(dynamo, now)) if (items.length > 0) return true;
  return false;
}
