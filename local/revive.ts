/** What a start does for the sessions of the one before. */

import {
  type AttributeValue,
  DynamoDBClient,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { tableLayout } from '../shared/contract/env.ts';
import { localAws } from './secrets.ts';

/**
 * Frees the sessions that have something to do: those that the sweeper's index holds. Who owned one, or ran a call of
 * it, was a worker of a process that has ended, so nobody need wait until its lease or its time is over: at worst 60 s,
 * and 15 minutes. Safe at any time, as every lease is (docs/design.md): an owner that lived could not commit any more.
 *
 * Call it before anything runs.
 *
 * @returns the ids of the sessions
 */
export async function reviveSessions(endpoint: string, tableName: string): Promise<string[]> {
  const client = new DynamoDBClient({ endpoint, ...localAws });
  try {
    const keys: { pk: string; sk: AttributeValue }[] = [];
    for await (const { Items = [] } of paginateScan(
      { client },
      { TableName: tableName, IndexName: tableLayout.due.index },
    ))
      keys.push(...Items.flatMap(({ pk, sk }) => (pk?.S && sk ? [{ pk: pk.S, sk }] : [])));
    for (const { pk, sk } of keys) await free(client, tableName, { pk: { S: pk }, sk });
    // The partition key is tenant#sessionId.
    return keys.flatMap(({ pk }) => pk.split('#')[1] ?? []);
  } finally {
    client.destroy();
  }
}

type Key = UpdateItemCommand['input']['Key'];

/** Ends the lease of the session, and the time of its queued calls that had begun. */
async function free(client: DynamoDBClient, TableName: string, Key: Key): Promise<void> {
  const over = { ':over': { N: '0' } };
  const { Attributes } = await client.send(
    new UpdateItemCommand({
      ...{ TableName, Key },
      UpdateExpression: 'SET leaseUntil = :over',
      ExpressionAttributeValues: over,
      ReturnValues: 'ALL_NEW',
    }),
  );
  for (const waitId of Object.keys(Attributes?.starts?.M ?? {})) {
    await client.send(
      new UpdateItemCommand({
        ...{ TableName, Key },
        UpdateExpression: 'SET starts.#wait.#until = :over',
        ExpressionAttributeNames: { '#wait': waitId, '#until': 'until' },
        ExpressionAttributeValues: over,
      }),
    );
  }
}
