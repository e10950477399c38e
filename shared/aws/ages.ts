/** The walk over all sessions on lists. A sweeper that deletes sessions by age loads it. */

import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Ages } from '../agent/entrypoints/retention.ts';
import { tableLayout } from '../contract/env.ts';
import type { Dynamo } from './dynamo.ts';
import { listingKey, sessionKeyOf } from './layout.ts';

/** Sessions of one page: some 250 KB of the index, and 30 read units. */
const PAGE = 250;
/** Time in ms from the start of one walk to the start of the next. */
const EACH_MS = 24 * 3_600_000;
/** The progress of the walk. No tenant's name starts with `_`. */
const walkKey = { pk: '_retention', sk: 'WALK' };

/** The content of a page's `next`: when the walk began, and the last key that it has seen, unless it is over. */
interface Walk {
  readonly begunAt: number;
  readonly after?: Readonly<Record<string, string>>;
}

export function createAges(client: DynamoDBClient, table: string, dynamo: Dynamo): Ages {
  return {
    async page(now, before) {
      const known = await dynamo.get(walkKey);
      const walk: Walk | undefined = known && JSON.parse(known.walk);
      if (walk && !walk.after && now < walk.begunAt + EACH_MS) return undefined;
      const { begunAt, after } = walk?.after ? walk : { begunAt: now, after: undefined };
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName: table,
          IndexName: tableLayout.listed.index,
          Limit: PAGE,
          ExclusiveStartKey: after && marshall(after),
        }),
      );
      const aged = Items.map((item) => unmarshall(item)).filter(({ at }) => at < before);
      const next: Walk = { begunAt, ...(LastEvaluatedKey && { after: unmarshall(LastEvaluatedKey) }) };
      return { aged: aged.map(({ pk }) => sessionKeyOf(pk)), next: JSON.stringify(next) };
    },

    async advance(next) {
      await dynamo.put({ ...walkKey, walk: next });
    },

    async movedAt(key) {
      const listed = await dynamo.get(listingKey(key), { attributes: ['at'] });
      return listed?.at;
    },
  };
}
