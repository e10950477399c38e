import { afterAll, beforeAll } from 'vitest';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createStreams } from '../../shared/aws/streams.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { streamsContract } from './streams.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

streamsContract('aws', async (clock, atOnce) =>
  createStreams(createDynamo(aws.clients.dynamo(), await aws.createTable()), clock, atOnce),
);
