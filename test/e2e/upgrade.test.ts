import { readFile } from 'node:fs/promises';
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';

/**
 * The promises of a version (docs/upgrade.md). Each file in `stored/` is a session as a release wrote it, with one run
 * that ended and one that waits for an approval. Each release adds its own file, and no file is ever changed.
 */
const id = 's85cce2de4bffa511a9d78681';

/** The items of a table in the AWS SDK's format. Bytes are written as `{ $b: base64 }`. */
const itemsOf = async (file: string): Promise<Record<string, AttributeValue>[]> =>
  JSON.parse(await readFile(new URL(`stored/${file}`, import.meta.url), 'utf8'), (_key, value) =>
    typeof value?.$b === 'string' ? Uint8Array.from(Buffer.from(value.$b, 'base64')) : value,
  );

test('a session that 0.1.0 stored is read, and continues where it was', async () => {
  await using model = await ruleModel(() => sayText('All of it is done.'));
  await using world = await embedded({ model });
  const table = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: world.stack.endpoints.dynamodb,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  for (const Item of await itemsOf('session-0.1.0.json'))
    await table.send(new PutItemCommand({ TableName: world.stack.outputs.TableName, Item }));
  table.destroy();

  expect(await world.session(id)).toMatchObject({
    state: 'waiting_for_input',
    lastEnding: { reason: 'completed' },
    totals: { input: 30, output: 15 },
    waits: [{ kind: 'approval', tool: 'transfer', message: 'transfer\nn: 7' }],
  });
  const before = await world.messages(id);
  expect(before.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'tool', 'assistant'],
    ...['user', 'assistant'],
  ]);

  const [wait] = (await world.session(id)).waits as { id: string }[];
  const decided = await world.api('POST', `/sessions/${id}/decisions`, { id: wait?.id, approved: true });
  expect(decided.status).toBe(202);
  expect(await world.atRest(id)).toMatchObject({ state: 'completed', run: { steps: 2, toolCalls: 1 } });
  expect(world.toolStarts).toMatchObject([{ name: 'transfer', input: { n: 7 } }]);
  expect((await world.messages(id)).slice(0, before.length)).toEqual(before);
  // Its history is byte-identical, so a cached prefix is still valid.
  expect(model.asked.at(-1)?.messages.length).toBeGreaterThan(5);
});
