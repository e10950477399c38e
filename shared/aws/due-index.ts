import { tableLayout } from '../contract/env.ts';
import type { Dynamo } from './dynamo.ts';

/** Pages of a partition of the index of what is due, up to a moment in epoch ms; as far as the index is up to date. */
export const duePages = (dynamo: Dynamo, shard: string, until: number, pageSize: number) =>
  dynamo.index({
    name: tableLayout.due.index,
    partition: { name: tableLayout.due.partitionKey, value: shard },
    sort: { name: tableLayout.due.sortKey, min: 0, max: until },
    pageSize,
  });
