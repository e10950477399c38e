import { afterAll, beforeAll } from 'vitest';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createSchedules } from '../../shared/aws/schedules.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { now } from './harness.ts';
import { schedulesContract } from './schedules.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

schedulesContract('aws', async () =>
  createSchedules(createDynamo(aws.clients.dynamo(), await aws.createTable()), { now: () => now }),
);
