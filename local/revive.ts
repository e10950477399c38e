/** Prepares the sessions of the previous start. */

import {
  type AttributeValue,
  DynamoDBClient,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { tableLayout } from '../shared/contract/env.ts';
import { localAws } from './secrets.ts';

/**
 * Frees the sessions that have work: those in the sweeper's index. Their owners and the workers of their calls were in a process
 * that has ended, so waiting for their leases and timeouts would be in vain: at worst 60 s, and 15 minutes. It is safe at any
 * time, as every lease is (docs/design.md): a living owner could not commit any more.
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

/** Ends the lease of the session, and the timeouts of its queued calls that had begun. */
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
