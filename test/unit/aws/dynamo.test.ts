import { BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { createDynamo } from '../../../shared/aws/dynamo.ts';

const TABLE = 't';
const key = (n: number) => ({ pk: 'a', sk: `i${n}` });

/** A table that gives at most `most` of the items that a request asks for, and names the others as unprocessed. */
function stingy(most: number) {
  const asked: string[][] = [];
  const client = {
    async send(command: unknown) {
      if (!(command instanceof BatchGetItemCommand)) throw new Error('another command');
      const { Keys = [], ConsistentRead } = command.input.RequestItems?.[TABLE] ?? {};
      expect(ConsistentRead).toBe(true);
      asked.push(Keys.map(({ sk }) => sk?.S ?? ''));
      const rest = Keys.slice(most);
      return {
        Responses: { [TABLE]: Keys.slice(0, most) },
        ...(rest.length > 0 && { UnprocessedKeys: { [TABLE]: { Keys: rest } } }),
      };
    },
  };
  return { asked, dynamo: createDynamo(client as unknown as DynamoDBClient, TABLE) };
}

test('keys that a batch leaves unprocessed are asked for again, and no others', async () => {
  const { asked, dynamo } = stingy(2);
  const items = await dynamo.getAll([key(1), key(2), key(3), key(4), key(5)]);
  expect(items).toEqual([1, 2, 3, 4, 5].map(key));
  expect(asked).toEqual([['i1', 'i2', 'i3', 'i4', 'i5'], ['i3', 'i4', 'i5'], ['i5']]);
});

test('keys that are never processed are an outage, and not missing items', async () => {
  const { asked, dynamo } = stingy(0);
  await expect(dynamo.getAll([key(1)])).rejects.toThrow('keeps leaving keys unread');
  expect(asked).toHaveLength(5);
});

test('no keys need no request', async () => {
  const { asked, dynamo } = stingy(1);
  expect(await dynamo.getAll([])).toEqual([]);
  expect(asked).toEqual([]);
});
