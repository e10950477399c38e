/** Whether a day is to be counted. The sweeper asks each minute, and loads the rest of it only then. */

import { duePages } from './due-index.ts';
import type { Dynamo } from './dynamo.ts';
import { historyShard } from './layout.ts';

/** Tenants on one page of those whose days are to be counted. */
const PAGE = 20;

/** Index entries of tenants whose day is to be counted at `now`, a page at a time. */
export const coursesDue = (dynamo: Dynamo, now: number) => duePages(dynamo, historyShard, now, PAGE);

export async function isDayDue(dynamo: Dynamo, now: number): Promise<boolean> {
  for await (const { items } of coursesDue(dynamo, now)) if (items.length > 0) return true;
  return false;
}
