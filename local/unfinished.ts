/** Finds the sessions that have something to do: those that the sweeper's index holds. */

import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { tableLayout } from '../shared/contract/env.ts';
import { localAws } from './secrets.ts';

/** Ids of sessions whose run was cut off, or waits for its time. */
export async function unfinishedSessions(endpoint: string, tableName: string): Promise<string[]> {
  const client = new DynamoDBClient({ endpoint, ...localAws });
  const { index, partitionKey } = tableLayout.due;
  try {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: index,
        KeyConditionExpression: `${partitionKey} = :due`,
        ExpressionAttributeValues: { ':due': { S: 'due' } },
      }),
    );
    // The partition key is tenant#sessionId.
    return Items.flatMap((item) => item[tableLayout.partitionKey]?.S?.split('#')[1] ?? []);
  } finally {
    client.destroy();
  }
}
