/**
 * The table, as the stores use it. Expressions name attributes as `#name` and values as `:name`. The names are filled
 * in from the expression, so reserved words need no special care.
 */

import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type ConsumedCapacity,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandOutput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Consistency } from '../agent/consistency.ts';
import { attributesOf } from './attributes.ts';
import { use } from './spent.ts';

export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** An item as JavaScript values; string sets are `Set`s. Its reader knows its layout. */
export type Item = ReturnType<typeof unmarshall>;

/** The outcome of a conditional write. A refusal shows the item as it stood, or undefined when there was none. */
export type Written = { readonly kind: 'written'; readonly item: Item } | Refused;
export interface Refused {
  readonly kind: 'refused';
  readonly item: Item | undefined;
}

/** One UpdateItem. The lists hold the clauses of each part. */
export interface Update {
  readonly key: ItemKey;
  readonly set?: readonly string[];
  readonly remove?: readonly string[];
  readonly add?: readonly string[];
  readonly delete?: readonly string[];
  /** Clauses that must all hold. */
  readonly when: readonly string[];
  readonly values?: Readonly<Record<string, unknown>>;
  /** Attributes whose names differ from those in the expression. */
  readonly names?: Readonly<Record<string, string>>;
}

/** How items are read; strongly consistent by default. */
export interface Reading {
  readonly consistency?: Consistency;
  /** Only these attributes of an item. */
  readonly attributes?: readonly string[];
  /** Number of items in one page of a range. */
  readonly limit?: number;
  /** The highest sort key of a range comes first. */
  readonly newestFirst?: boolean;
}

export interface Dynamo {
  get(key: ItemKey, reading?: Pick<Reading, 'consistency' | 'attributes'>): Promise<Item | undefined>;
  /** Items with these keys, up to 100, in no particular order. */
  getAll(keys: readonly ItemKey[], reading?: Pick<Reading, 'consistency'>): Promise<Item[]>;
  /** Writes the whole item, if all clauses hold. */
  put(item: Item, when?: readonly string[], values?: Readonly<Record<string, unknown>>): Promise<Written>;
  /** Changes an item, and returns it as it is afterwards. */
  update(update: Update): Promise<Written>;
  /** Deletes an item if all clauses hold, and returns it as it was. */
  remove(key: ItemKey, when: readonly string[], values?: Readonly<Record<string, unknown>>): Promise<Written>;
  /** Items of one partition between two sort keys, both included, page after page. */
  range(
    pk: string,
    from: string,
    to: string,
    reading?: Pick<Reading, 'consistency' | 'limit' | 'newestFirst'>,
  ): AsyncGenerator<Item>;
  /** Entries of an index partition between two sort keys, both included, one page at a time. */
  index(query: IndexQuery): AsyncGenerator<IndexPage>;
}

export interface IndexQuery {
  readonly name: string;
  readonly partition: { readonly name: string; readonly value: string };
  /** `min` is not above `max`. */
  readonly sort: {
    readonly name: string;
    readonly min: number | string;
    readonly max: number | string;
  };
  /** The highest sort key comes first. */
  readonly newestFirst?: boolean;
  readonly pageSize: number;
}

export interface IndexPage {
  /** As far as the index is up to date. */
  readonly items: readonly Item[];
  readonly isLast: boolean;
}

/** Rounds of asking again for keys that a BatchGetItem left out; each waits twice as long as the one before. */
const BATCH_ROUNDS = 5;

/** The SDK's name for the error of a request that is throttled as a whole. */
class KeepsThrottling extends Error {
  override name = 'ThrottlingException';
}

/** Every read is strongly consistent unless it asks to be eventual, except that of an index, which cannot be. */
export function createDynamo(client: DynamoDBClient, table: string): Dynamo {
  return {
    async get(key, { consistency, attributes } = {}) {
      const projection = attributes?.map((name) => `#${name}`).join(', ');
      const { Item, ConsumedCapacity } = await client.send(
        new GetItemCommand({
          ...told,
          TableName: table,
          Key: marshall(key),
          ConsistentRead: isStrong(consistency),
          ...(projection && {
            ProjectionExpression: projection,
            ExpressionAttributeNames: namesIn(projection),
          }),
        }),
      );
      count('reads', ConsumedCapacity);
      return Item && unmarshall(Item);
    },

    async getAll(keys, { consistency } = {}) {
      const items: Item[] = [];
      const ConsistentRead = isStrong(consistency);
      let Keys = keys.map((key) => marshall(key));
      for (let round = 0; Keys.length > 0; round++) {
        if (round === BATCH_ROUNDS) throw new KeepsThrottling('DynamoDB keeps leaving keys unread');
        if (round > 0) await new Promise((resolve) => setTimeout(resolve, 25 * 2 ** round));
        const { Responses, UnprocessedKeys, ConsumedCapacity } = await client.send(
          new BatchGetItemCommand({ ...told, RequestItems: { [table]: { Keys, ConsistentRead } } }),
        );
        for (const capacity of ConsumedCapacity ?? []) count('reads', capacity);
        items.push(...(Responses?.[table] ?? []).map((item) => unmarshall(item)));
        Keys = UnprocessedKeys?.[table]?.Keys ?? [];
      }
      return items;
    },

    put(item, when = [], values) {
      return attempt(async () => {
        const { ConsumedCapacity } = await client.send(
          new PutItemCommand({
            ...told,
            TableName: table,
            Item: attributesOf(item),
            ...conditionOf(when, values),
          }),
        );
        count('writes', ConsumedCapacity);
        return item;
      });
    },

    update(update) {
      const { key, when, values = {}, names } = update;
      const parts = [
        part('SET', update.set),
        part('REMOVE', update.remove),
        part('ADD', update.add),
        part('DELETE', update.delete),
      ];
      const expression = parts.filter(Boolean).join(' ');
      return attempt(async () => {
        const { Attributes = {}, ConsumedCapacity } = await client.send(
          new UpdateItemCommand({
            ...told,
            TableName: table,
            Key: marshall(key),
            UpdateExpression: expression,
            ReturnValues: 'ALL_NEW',
            ...conditionOf(when, values),
            ExpressionAttributeNames: { ...namesIn(`${expression} ${when.join(' ')}`), ...names },
          }),
        );
        count('writes', ConsumedCapacity);
        return unmarshall(Attributes);
      });
    },

    remove(key, when, values) {
      return attempt(async () => {
        const { Attributes = {}, ConsumedCapacity } = await client.send(
          new DeleteItemCommand({
            ...told,
            TableName: table,
            Key: marshall(key),
            ReturnValues: 'ALL_OLD',
            ...conditionOf(when, values),
          }),
        );
        count('writes', ConsumedCapacity);
        return unmarshall(Attributes);
      });
    },

    async *range(pk, from, to, { consistency, limit, newestFirst = false } = {}) {
      let next: QueryCommandOutput['LastEvaluatedKey'];
      do {
        const page: QueryCommandOutput = await client.send(
          new QueryCommand({
            ...told,
            TableName: table,
            KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
            ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
            ExpressionAttributeValues: valuesOf({ pk, from, to }),
            ConsistentRead: isStrong(consistency),
            ScanIndexForward: !newestFirst,
            Limit: limit,
            ExclusiveStartKey: next,
          }),
        );
        count('reads', page.ConsumedCapacity);
        for (const item of page.Items ?? []) yield unmarshall(item);
        next = page.LastEvaluatedKey;
      } while (next);
    },

    async *index({ name, partition, sort, newestFirst = false, pageSize }) {
      let next: QueryCommandOutput['LastEvaluatedKey'];
      do {
        const page: QueryCommandOutput = await client.send(
          new QueryCommand({
            ...told,
            TableName: table,
            IndexName: name,
            KeyConditionExpression: '#partition = :partition AND #sort BETWEEN :min AND :max',
            ExpressionAttributeNames: { '#partition': partition.name, '#sort': sort.name },
            ExpressionAttributeValues: valuesOf({ partition: partition.value, min: sort.min, max: sort.max }),
            ScanIndexForward: !newestFirst,
            Limit: pageSize,
            ExclusiveStartKey: next,
          }),
        );
        count('reads', page.ConsumedCapacity);
        next = page.LastEvaluatedKey;
        yield { items: (page.Items ?? []).map((item) => unmarshall(item)), isLast: !next };
      } while (next);
    },
  };
}

const isStrong = (consistency: Consistency = 'strong'): boolean => consistency === 'strong';

/** Makes DynamoDB report what a request is billed as, the index included. */
const told = { ReturnConsumedCapacity: 'TOTAL' } as const;

/** A refused write is billed too, but DynamoDB does not say how much: those few are not counted. */
const count = (what: 'reads' | 'writes', capacity: ConsumedCapacity | undefined): void =>
  use(what, capacity?.CapacityUnits ?? 0);

/** Runs a conditional write. The SDK may have applied it before and lost the answer: callers check for that. */
async function attempt(write: () => Promise<Item>): Promise<Written> {
  try {
    return { kind: 'written', item: await write() };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { kind: 'refused', item: error.Item && unmarshall(error.Item) };
  }
}

/** The condition that all clauses hold, with the item as it stood when one does not. */
function conditionOf(clauses: readonly string[], values: Readonly<Record<string, unknown>> = {}) {
  const condition = clauses.map((clause) => `(${clause})`).join(' AND ');
  return {
    ...(condition && {
      ConditionExpression: condition,
      ExpressionAttributeNames: namesIn(condition),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: valuesOf(values) }),
  };
}

const part = (verb: string, clauses: readonly string[] = []) =>
  clauses.length > 0 ? `${verb} ${clauses.join(', ')}` : '';

const valuesOf = (values: Readonly<Record<string, unknown>>) =>
  attributesOf(Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])));

const namesIn = (expression: string): Record<string, string> =>
  Object.fromEntries([...expression.matchAll(/#(\w+)/g)].map(([name, attribute = '']) => [name, attribute]));
