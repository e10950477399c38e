/** Sessions that were active, from all partitions of the index of lists. Loaded when a day is counted. */

import type { Activity } from '../agent/entrypoints/days/store.ts';
import { tableLayout } from '../contract/env.ts';
import { type State, states } from '../contract/session.ts';
import type { Dynamo } from './dynamo.ts';
import { endOf, listedPartitions, sessionKeyOf } from './layout.ts';

/** Entries of one page: some 250 KB of the index. */
const PAGE = 250;
/** States of sessions that run: their lists do not change with each step. */
const running: readonly State[] = ['idle', 'running'];

export const createActivity = (dynamo: Dynamo): Activity => ({
  async *since(tenant, from) {
    const { index: name, partitionKey, sortKey } = tableLayout.listed;
    const isOfRunning = new Set(listedPartitions(tenant, running));
    // In the order in which a run moves: begun, waiting, ended.
    for (const value of listedPartitions(tenant, states)) {
      const min = isOfRunning.has(value) ? '0' : String(from).padStart(15, '0');
      const pages = dynamo.index({
        name,
        partition: { name: partitionKey, value },
        sort: { name: sortKey, min, max: endOf('9') },
        pageSize: PAGE,
      });
      for await (const { items } of pages)
        yield items.map(({ pk, createdAt }) => ({ sessionId: sessionKeyOf(pk).sessionId, createdAt }));
    }
  },
});
