/**
 * API keys: one item each, in a partition of their tenant. Only the hash of the secret is stored.
 *
 * The hash is plain SHA-256. A slow hash (bcrypt, argon2) makes guessing a password expensive. These secrets are 256
 * random bits, which cannot be guessed at any speed, and a slow hash would cost every request CPU time.
 *
 * Valid keys are not cached: each request reads the item, strongly consistent, so a revoked key is refused as soon as
 * its revocation is acknowledged. Invalid ones are remembered for a few seconds, by the hash of the whole text; guesses
 * at a valid key therefore cannot get that key refused.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { defined } from '../agent/plain/defined.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { API_KEY, tenantOfKey } from '../contract/identity.ts';
import type { ApiKey, ApiKeys } from '../edge/api-keys.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { apiKeyKey, apiKeysPk, endOf } from './layout.ts';

/** How long a refused text is refused again without a read, in ms, and how many refused texts are remembered. */
const REFUSED_FOR_MS = 5_000;
const MAX_REFUSED = 1_000;

export function createApiKeys(dynamo: Dynamo, clock: Pick<Clock, 'now'>): ApiKeys {
  /** Hash of a refused text → epoch ms until which it is refused. */
  const refused = new Map<string, number>();

  function refuse(digest: string): undefined {
    if (refused.size >= MAX_REFUSED) refused.clear();
    refused.set(digest, clock.now() + REFUSED_FOR_MS);
  }

  async function find(keyId: string): Promise<Item | undefined> {
    return dynamo.get(apiKeyKey(tenantOfKey(keyId), keyId));
  }

  return {
    async mint(by, name, scopes = []) {
      const keyId = `${by.tenant}.${randomLetters()}`;
      const secret = randomBytes(32).toString('hex');
      const key: ApiKey = { keyId, name, scopes, createdBy: by.subject, createdAt: clock.now() };
      const isNew = 'attribute_not_exists(#pk)';
      // When the SDK repeats a put whose answer was lost, it meets its own item, which has the same hash.
      const item = { ...apiKeyKey(by.tenant, keyId), ...key, tenant: by.tenant, hash: sha256(secret) };
      const written = await dynamo.put(item, [isNew]);
      if (written.kind === 'refused' && written.item?.hash !== item.hash) {
        throw new Error('a new key got the id of an old one: try again');
      }
      return { key, text: `sl_${keyId}_${secret}` };
    },

    async verify(text) {
      const digest = sha256(text);
      if ((refused.get(digest) ?? 0) > clock.now()) return undefined;
      const [, keyId, secret] = API_KEY.exec(text) ?? [];
      if (!keyId || !secret) return undefined;
      const item = await find(keyId);
      // If there is no item, a hash is compared all the same, so that both cases take the same time.
      const fits = sameHash(sha256(secret), item?.hash ?? sha256(''));
      if (!item || !fits || item.revokedAt !== undefined) return refuse(digest);
      await noteUse(dynamo, item, clock.now());
      const { tenant, name, scopes = [] } = item;
      return { tenant, subject: `key:${keyId}`, kind: 'key', name, ...(scopes.length > 0 && { scopes }) };
    },

    async isLive(keyId) {
      const item = await find(keyId);
      return item !== undefined && item.revokedAt === undefined;
    },

    async list(tenant) {
      const keys: ApiKey[] = [];
      for await (const item of dynamo.range(apiKeysPk(tenant), 'KEY#', endOf('KEY#'))) keys.push(toKey(item));
      return keys;
    },

    async revoke(tenant, keyId) {
      const exists = 'attribute_exists(#pk)';
      const written = await dynamo.update({
        key: apiKeyKey(tenant, keyId),
        set: ['#revokedAt = if_not_exists(#revokedAt, :now)'],
        when: [exists],
        values: { now: clock.now() },
      });
      return written.kind === 'written' ? toKey(written.item) : 'unknown';
    },
  };
}

/** Once a day and key. A failure of this write must not refuse the key. */
async function noteUse(dynamo: Dynamo, { pk, sk, lastUsedOn }: Item, now: number): Promise<void> {
  const today = new Date(now).toISOString().slice(0, 10);
  if (lastUsedOn === today) return;
  const exists = 'attribute_exists(#pk)';
  const noted = dynamo.update({
    key: { pk, sk },
    set: ['#lastUsedOn = :today'],
    when: [exists],
    values: { today },
  });
  await noted.catch(() => undefined);
}

const toKey = ({ keyId, name, scopes = [], createdBy, createdAt, lastUsedOn, revokedAt }: Item): ApiKey => ({
  keyId,
  name,
  scopes,
  createdBy,
  createdAt,
  ...defined({ lastUsedOn, revokedAt }),
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Takes the same time wherever the hashes differ. Both are SHA-256 in hex, so they have the same length. */
const sameHash = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** 12 of 36 characters: 62 bits, enough for ids not to collide. */
const randomLetters = (): string =>
  BigInt(`0x${randomBytes(10).toString('hex')}`)
    .toString(36)
    .padStart(16, '0')
    .slice(-12);
