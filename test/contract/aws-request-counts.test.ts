import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { requestsKey } from '../../shared/aws/layout.ts';
import { createRequestCounts } from '../../shared/aws/request-counts.ts';
import { virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { requestCountsContract } from './request-counts.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

requestCountsContract('aws', async (clock) =>
  createRequestCounts(createDynamo(aws.clients.dynamo(), await aws.createTable()), clock),
);

test('a count of requests is deleted some minutes later', async () => {
  const dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
  const clock = virtualClock();
  await createRequestCounts(dynamo, clock).take('acme', 7, 1, 10);
  const { ttl } = (await dynamo.get(requestsKey('acme', 7))) ?? {};
  expect(ttl).toBe(Math.floor(clock.now() / 1000) + 300);
});
