import { afterEach, expect, test, vi } from 'vitest';
import { startDynamoDb } from '../../local/stack/services/dynamodb.ts';
import { startEmbeddedAws } from '../support/embedded-aws.ts';

afterEach(() => vi.unstubAllEnvs());

test('several test files make tables in one DynamoDB that was started for all of them', async () => {
  const dynamodb = await startDynamoDb(undefined);
  vi.stubEnv('DYNAMODB_ENDPOINT', dynamodb.endpoint);
  const files = await Promise.all([startEmbeddedAws(), startEmbeddedAws()]);
  const names = await Promise.all(files.flatMap((file) => [file.createTable(), file.createTable()]));
  expect(new Set(names).size).toBe(4);
  for (const file of files) await file.stop();
  await dynamodb.stop();
});
