import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { embedded, local } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

/**
 * DynamoDB may hold a write for longer than the SDK waits for it. The SDK then sends it again, and both are applied: the
 * second at once, and the first when the session is at rest again.
 */
test('a message whose first write lands late leaves no session due without a wake', async () => {
  const held = Promise.withResolvers<void>();
  let landed = 0;
  let holds = true;
  await using model = await ruleModel(({ turn }) =>
    turn < 2 ? callTools(['look', { n: turn }]) : sayText('Done.'),
  );
  const tells = (body: string) => body.includes('#inboxSeq = #inboxSeq + :one');
  await using world = await embedded({
    model,
    wire: {
      async before({ service, body }) {
        if (service !== 'dynamodb' || !holds || !tells(body)) return;
        holds = false;
        await held.promise;
      },
      after({ service, body }) {
        if (service === 'dynamodb' && tells(body)) landed += 1;
      },
    },
  });
  const id = await world.start('go');
  expect(await world.atRest(id)).toMatchObject({ state: 'completed', run: { steps: 3 } });
  expect(landed).toBe(1);
  held.resolve();
  while (landed < 2) await pause(20);
  const table = new DynamoDBClient({ ...local, endpoint: world.stack.endpoints.dynamodb });
  const { Item } = await table.send(
    new GetItemCommand({
      TableName: world.stack.outputs.TableName,
      Key: { pk: { S: `default#${id}` }, sk: { S: 'HEAD' } },
      ConsistentRead: true,
    }),
  );
  table.destroy();
  expect(Item?.state).toEqual({ S: 'completed' });
  expect([Item?.dueAt, Item?.sweepAt, Item?.inbox]).toEqual([undefined, undefined, undefined]);
});
