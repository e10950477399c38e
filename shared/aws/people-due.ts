/** Whether someone's data is to be deleted. The sweeper asks each minute, and loads the rest of it only then. */

import { tableLayout } from '../contract/env.ts';
import type { Dynamo } from './dynamo.ts';
import { peopleShard } from './layout.ts';

/** Deletions of people's data on one page of those that are due. */
const PAGE = 20;

/** Index entries of deletions that are due at `now`, a page at a time; as far as the index is up to date. */
export const duePages = (dynamo: Dynamo, now: number) =>
  dynamo.index({
    name: tableLayout.due.index,
    partition: { name: tableLayout.due.partitionKey, value: peopleShard },
    sort: { name: tableLayout.due.sortKey, min: 0, max: now },
    pageSize: PAGE,
  });

export async function isSomeoneDue(dynamo: Dynamo, now: number): Promise<boolean> {
  for await (const { items } of duePages(dynamo, now)) if (items.length > 0) return true;
  return false;
}
