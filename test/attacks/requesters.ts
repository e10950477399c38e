import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Embedded, local } from '../support/embedded.ts';

/** Reads the requesters of a session's last run, as policies read them. */
export function requestersIn({ stack }: Embedded): {
  of(sessionId: string): Promise<readonly string[]>;
  close(): void;
} {
  const dynamodb = new DynamoDBClient({ ...local, endpoint: stack.endpoints.dynamodb });
  return {
    async of(sessionId) {
      const Key = { pk: { S: `default#${sessionId}` }, sk: { S: 'HEAD' } };
      const TableName = stack.outputs.TableName ?? '';
      const { Item } = await dynamodb.send(new GetItemCommand({ TableName, Key }));
      return Item ? (unmarshall(Item).run?.requesters ?? []) : [];
    },
    close: () => dynamodb.destroy(),
  };
}
