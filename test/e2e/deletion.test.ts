import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { httpClient } from '../../web/client/index.ts';
import { type Embedded, embedded, local } from '../support/embedded.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';
import { signedFetch } from '../support/signed.ts';

let model: RuleModel;
let world: Embedded;
beforeAll(async () => {
  model = await ruleModel(({ turn }) =>
    turn === 0 ? callTools(['look', { n: 1 }]) : sayText('All is read.'),
  );
  // Long enough to be kept outside of the item.
  world = await embedded({ model, tools: () => 'A line of what was found there. '.repeat(20_000) });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** Sort keys of items of the table, and keys of objects in the bucket, that name a session. */
async function naming(id: string): Promise<string[]> {
  const { endpoints, outputs } = world.stack;
  const client = new DynamoDBClient({ ...local, endpoint: endpoints.dynamodb });
  const { Items = [], LastEvaluatedKey } = await client.send(
    new ScanCommand({ TableName: outputs.TableName }),
  );
  client.destroy();
  expect(LastEvaluatedKey).toBeUndefined();
  const texts = Items.map((item) => unmarshall(item)).map(
    (item) =>
      [item.sk, JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value))] as const,
  );
  const xml = await (
    await signedFetch('s3', `${endpoints.sqs}/${outputs.BlobBucketName}?list-type=2`)
  ).text();
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
  return [
    ...texts.filter(([, text]) => text.includes(id)).map(([sk]) => sk),
    ...keys.filter((key) => key.includes(id)),
  ].sort();
}

test('a deleted session cannot be found at once, and nothing in the table or the bucket names it except its tombstone', {
  timeout: 120_000,
}, async () => {
  const client = httpClient({ httpUrl: world.stack.outputs.HttpUrl ?? '', token: world.token });
  const once = { 'idempotency-key': 'the-same' };
  const begin = { agent: 'worker', message: 'Read it.' };
  const { body } = await world.api('POST', '/sessions', begin, once);
  const id: string = body.sessionId;
  expect(await world.api('DELETE', `/sessions/${id}`)).toMatchObject({
    status: 409,
    body: { title: 'Session not at rest' },
  });
  await world.atRest(id);
  const other = await world.start('Read it, too.');
  await world.atRest(other);
  const before = await naming(id);
  expect(before.some((name) => name.includes('/results/'))).toBe(true);
  expect(before).toContain('RUNNING');
  const kept = await naming(other);

  expect(await client.deleteSession(id)).toMatchObject({ sessionId: id });
  await expect(client.session(id)).rejects.toMatchObject({ problem: { status: 404 } });
  expect(await world.api('DELETE', `/sessions/${id}`)).toMatchObject({ status: 404 });
  expect(await world.api('POST', '/sessions', begin, once)).toMatchObject({ status: 410 });
  expect((await client.sessions()).sessions.map(({ sessionId }) => sessionId)).not.toContain(id);

  // The schedule may fire at the same moment. Then that sweep has the grave, and is soon done.
  await world.stack.invoke('AgentsSweeperSweep', {});
  await expect.poll(() => naming(id), { timeout: 20_000 }).toEqual(['HEAD', 'LISTED']);
  expect(await naming(other)).toEqual(kept);
  expect(await world.messages(other)).not.toEqual([]);
});
