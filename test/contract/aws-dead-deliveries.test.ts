import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBlobs } from '../../shared/aws/blobs.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createDeadDeliveries } from '../../shared/aws/dead-deliveries.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { deadBodyKey, deadKey } from '../../shared/aws/layout.ts';
import { virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { deadDeliveriesContract } from './dead-deliveries.ts';

let aws: EmbeddedAws;
const clock = virtualClock();
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

async function open() {
  const dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
  const bodies = createBodies(createBlobs(aws.clients.s3(), aws.bucket));
  return { dynamo, dead: createDeadDeliveries(dynamo, bodies, clock) };
}

deadDeliveriesContract('aws', async () => (await open()).dead);

test('aws: a dead delivery is kept for 30 days, and for one day after it was redelivered', async () => {
  const { dynamo, dead } = await open();
  const at = clock.now();
  const why = { reason: 'mapping_threw', detail: 'It threw.' } as const;
  const from = { tenant: 'acme', source: 'github', name: 'issues', deliveryId: 'd', eventId: 'e' };
  await dead.bury({ ...from, id: 'a', at, bytes: 2, ...why }, { text: '{}', contentType: '' });
  const items = () => Promise.all([deadKey, deadBodyKey].map((keyOf) => dynamo.get(keyOf('acme', 'a'))));
  for (const item of await items())
    expect(item).toMatchObject({ ttl: Math.floor(at / 1000) + 30 * 24 * 3600 });
  expect((await items())[0]).not.toHaveProperty('body');
  await dead.settle('acme', 'a');
  for (const item of await items()) {
    expect(item).toMatchObject({ ttl: Math.floor(at / 1000) + 24 * 3600 });
    expect(item).not.toHaveProperty('body');
  }
});
