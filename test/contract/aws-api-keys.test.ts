import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApiKeys } from '../../shared/aws/api-keys.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { apiKeyKey } from '../../shared/aws/layout.ts';
import { API_KEY, type Identity, KeyId } from '../../shared/contract/identity.ts';
import type { ApiKeys } from '../../shared/edge/api-keys.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: ['steploop-admin'] };
const eve: Identity = { tenant: 'globex', subject: 'user:eve', kind: 'jwt', roles: ['steploop-admin'] };

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
  /** Everything that is stored, as text. */
  const stored = async () =>
    JSON.stringify((await aws.clients.dynamo().send(new ScanCommand({ TableName: tableName }))).Items);

  test('a minted key is its tenant’s, and of the documented form', async () => {
    const { key, text } = await keys.mint(ada, 'nightly report');
    expect(text).toMatch(API_KEY);
    expect(text).toMatch(/^sl_acme\.[a-z0-9]{12}_[0-9a-f]{64}$/);
    expect(KeyId.safeParse(key.keyId).success).toBe(true);
    expect(key).toEqual({
      keyId: key.keyId,
      name: 'nightly report',
      scopes: [],
      createdBy: 'user:ada',
      createdAt: clock.now(),
    });
    expect(await keys.verify(text)).toEqual({ tenant: 'acme', subject: `key:${key.keyId}`, kind: 'key' });
  });

  test('what a key may do beside the ordinary is said when it is minted; keys from before may do nothing more', async () => {
    const { key, text } = await keys.mint(ada, 'desk', ['decide']);
    expect(key.scopes).toEqual(['decide']);
    expect(await keys.verify(text)).toMatchObject({ subject: `key:${key.keyId}`, scopes: ['decide'] });
    const { key: old, text: oldText } = await keys.mint(ada, 'old');
    const dynamo = createDynamo(aws.clients.dynamo(), tableName);
    await dynamo.update({ key: apiKeyKey('acme', old.keyId), remove: ['#scopes'], when: [], values: {} });
    expect(await keys.verify(oldText)).toEqual({ tenant: 'acme', subject: `key:${old.keyId}`, kind: 'key' });
    expect((await keys.list('acme')).find(({ keyId }) => keyId === old.keyId)).toMatchObject({ scopes: [] });
  });

  test('a key of a tenant whose name has all that a name may have', async () => {
    const tenant = `a_-${'x'.repeat(61)}`;
    const { text } = await keys.mint({ ...ada, tenant }, 'odd');
    expect(await keys.verify(text)).toMatchObject({ tenant });
  });

  test('the secret is not stored', async () => {
    const { text } = await keys.mint(ada, 'nightly report');
    const secret = text.split('_').at(-1) ?? '';
    expect(secret).toHaveLength(64);
    expect(await stored()).not.toContain(secret);
    expect(JSON.stringify(await keys.list('acme'))).not.toMatch(/hash|secret/);
  });

  test('minting is done once when its answer is lost and the SDK asks again', async () => {
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

  test('two keys of one name differ', async () => {
    const [one, two] = [await keys.mint(ada, 'same'), await keys.mint(ada, 'same')];
    expect(one.key.keyId).not.toBe(two.key.keyId);
    expect(one.text.split('_').at(-1)).not.toBe(two.text.split('_').at(-1));
  });

  test.each<[string, (text: string) => string]>([
    ['with another secret', (text) => `${text.slice(0, -64)}${'0'.repeat(64)}`],
    ['with a changed last character', (text) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')],
    ['of another tenant’s partition', (text) => text.replace('sl_acme.', 'sl_globex.')],
    ['of an unknown id', (text) => text.replace(/\.[a-z0-9]{12}_/, '.aaaaaaaaaaaa_')],
    ['cut short', (text) => text.slice(0, -1)],
    ['in upper case', (text) => text.toUpperCase()],
    ['with something after it', (text) => `${text}\n`],
    ['that is empty', () => 'sl_'],
  ])('a key %s is not good', async (_name, change) => {
    const { text } = await keys.mint(ada, 'mine');
    expect(await keys.verify(change(text))).toBeUndefined();
    expect(await keys.verify(text)).toMatchObject({ tenant: 'acme' });
  });

  test('a revoked key is not good from the moment that its revocation is answered', async () => {
    const { key, text } = await keys.mint(ada, 'mine');
    expect(await keys.verify(text)).toBeDefined();
    expect(await keys.isLive(key.keyId)).toBe(true);
    const revoked = await keys.revoke('acme', key.keyId);
    expect(revoked).toMatchObject({ keyId: key.keyId, revokedAt: clock.now() });
    expect(await keys.verify(text)).toBeUndefined();
    expect(await keys.isLive(key.keyId)).toBe(false);
  });

  test('also where it was just used: another environment’s verdict is cached nowhere', async () => {
    const elsewhere = createApiKeys(createDynamo(aws.clients.dynamo(), tableName), clock);
    const { key, text } = await keys.mint(ada, 'mine');
    expect(await elsewhere.verify(text)).toBeDefined();
    await keys.revoke('acme', key.keyId);
    expect(await elsewhere.verify(text)).toBeUndefined();
  });

  test('revoking again keeps the first moment', async () => {
    const { key } = await keys.mint(ada, 'mine');
    const at = clock.now();
    await keys.revoke('acme', key.keyId);
    await clock.advance(1000);
    expect(await keys.revoke('acme', key.keyId)).toMatchObject({ revokedAt: at });
  });

  test('another tenant can neither see nor revoke it, and learns nothing', async () => {
    const { key, text } = await keys.mint(ada, 'mine');
    expect(await keys.revoke('globex', key.keyId)).toBe('unknown');
    expect(await keys.revoke('globex', 'acme.aaaaaaaaaaaa')).toBe('unknown');
    expect(await keys.list('globex')).toEqual([]);
    expect(await keys.verify(text)).toBeDefined();
  });

  test('a list has the tenant’s keys and no others, revoked ones too', async () => {
    const mine = [(await keys.mint(ada, 'one')).key, (await keys.mint(ada, 'two')).key];
    await keys.mint(eve, 'theirs');
    await keys.revoke('acme', mine[0]?.keyId ?? '');
    const listed = await keys.list('acme');
    expect(listed.map(({ name }) => name).sort()).toEqual(['one', 'two']);
    expect(listed.filter(({ revokedAt }) => revokedAt !== undefined).map(({ name }) => name)).toEqual([
      'one',
    ]);
  });

  test('its last use is noted by the day, with one write a day', async () => {
    const { text } = await keys.mint(ada, 'mine');
    const use = async () => {
      await keys.verify(text);
      const [{ lastUsedOn } = {}] = await keys.list('acme');
      return lastUsedOn;
    };
    expect((await keys.list('acme'))[0]).not.toHaveProperty('lastUsedOn');
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    expect([await use(), await use()]).toEqual([today, today]);
    expect(updates).toBe(1);
    await clock.advance(24 * 3600_000);
    expect(await use()).not.toBe(today);
  });

  test('a refused text is refused unread for 5 s, and nobody else’s key with it', async () => {
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
