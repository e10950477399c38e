import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApiKeys } from '../../shared/aws/api-keys.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { apiKeyKey } from '../../shared/aws/layout.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { ApiKeys } from '../../shared/edge/api-keys.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { apiKeysContract } from './api-keys.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: ['steploop-admin'] };

describe('aws API keys', () => {
  let aws: EmbeddedAws;
  let clock: VirtualClock;
  let tableName: string;
  let keys: ApiKeys;
  let reads: number;
  let updates: number;
  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());
  beforeEach(async () => {
    clock = virtualClock();
    tableName = await aws.createTable();
    reads = 0;
    updates = 0;
    keys = createApiKeys(counting(createDynamo(aws.clients.dynamo(), tableName)), clock);
  });
  const counting = (dynamo: Dynamo): Dynamo => ({
    ...dynamo,
    get: (...args) => {
      reads++;
      return dynamo.get(...args);
    },
    update: (update) => {
      updates++;
      return dynamo.update(update);
    },
  });
  apiKeysContract('aws', async (time) =>
    createApiKeys(createDynamo(aws.clients.dynamo(), await aws.createTable()), time),
  );

  /** Everything that is stored, as text. */
  const stored = async () =>
    JSON.stringify((await aws.clients.dynamo().send(new ScanCommand({ TableName: tableName }))).Items);

  test('keys from before scopes existed have no extra scopes', async () => {
    const { key: old, text: oldText } = await keys.mint(ada, 'old');
    const dynamo = createDynamo(aws.clients.dynamo(), tableName);
    await dynamo.update({ key: apiKeyKey('acme', old.keyId), remove: ['#scopes'], when: [], values: {} });
    expect(await keys.verify(oldText)).toEqual({
      tenant: 'acme',
      subject: `key:${old.keyId}`,
      kind: 'key',
      name: 'old',
    });
    expect((await keys.list('acme')).find(({ keyId }) => keyId === old.keyId)).toMatchObject({ scopes: [] });
  });

  test('the secret is not stored', async () => {
    const { text } = await keys.mint(ada, 'nightly report');
    const secret = text.split('_').at(-1) ?? '';
    expect(secret).toHaveLength(64);
    expect(await stored()).not.toContain(secret);
    expect(JSON.stringify(await keys.list('acme'))).not.toMatch(/hash|secret/);
  });

  test('minting takes effect once when its response is lost and the SDK retries', async () => {
    const dynamo = createDynamo(aws.clients.dynamo(), tableName);
    const twice: Dynamo = {
      ...dynamo,
      async put(...args) {
        await dynamo.put(...args);
        return dynamo.put(...args);
      },
    };
    const { key, text } = await createApiKeys(twice, clock).mint(ada, 'mine');
    expect(await keys.verify(text)).toMatchObject({ subject: `key:${key.keyId}` });
    expect(await keys.list('acme')).toHaveLength(1);
  });

  test('revocation reaches another environment that has just used the key: valid keys are cached nowhere', async () => {
    const elsewhere = createApiKeys(createDynamo(aws.clients.dynamo(), tableName), clock);
    const { key, text } = await keys.mint(ada, 'mine');
    expect(await elsewhere.verify(text)).toBeDefined();
    await keys.revoke('acme', key.keyId);
    expect(await elsewhere.verify(text)).toBeUndefined();
  });

  test('its use is recorded with one write a day', async () => {
    const { text } = await keys.mint(ada, 'mine');
    for (let i = 0; i < 3; i++) await keys.verify(text);
    expect(updates).toBe(1);
    await clock.advance(24 * 3600_000);
    await keys.verify(text);
    expect(updates).toBe(2);
  });

  test('an invalid text is refused for 5 s without a read, and other keys are unaffected', async () => {
    const { text } = await keys.mint(ada, 'mine');
    const wrong = `${text.slice(0, -64)}${'0'.repeat(64)}`;
    for (let i = 0; i < 10; i++) expect(await keys.verify(wrong)).toBeUndefined();
    expect(reads).toBe(1);
    expect(await keys.verify(text)).toMatchObject({ tenant: 'acme' });
    await clock.advance(5_001);
    reads = 0;
    await keys.verify(wrong);
    expect(reads).toBe(1);
  });

  test('a malformed text is not looked up', async () => {
    for (const text of ['sl_', 'sl_acme', 'sl_a#b.aaaaaaaaaaaa_00', '']) await keys.verify(text);
    expect(reads).toBe(0);
  });
});
