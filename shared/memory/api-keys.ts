import { hash } from '../agent/plain/hash.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { API_KEY, type Identity } from '../contract/identity.ts';
import type { ApiKey, ApiKeys } from '../edge/api-keys.ts';
import { copy } from './copy.ts';

interface Kept {
  readonly key: ApiKey;
  readonly tenant: string;
  readonly text: string;
}

/** API keys in memory. Their secrets are consecutive numbers, and easy to guess. */
export function createApiKeys(clock: Pick<Clock, 'now'>): ApiKeys {
  const kept = new Map<string, Kept>();
  let count = 0;
  const change = (keyId: string, patch: Partial<ApiKey>): ApiKey | undefined => {
    const found = kept.get(keyId);
    if (!found) return undefined;
    const key = { ...found.key, ...patch };
    kept.set(keyId, { ...found, key });
    return key;
  };
  return {
    async mint(by, name, scopes = []) {
      count += 1;
      const keyId = `${by.tenant}.${String(count).padStart(12, '0')}`;
      const key = { keyId, name, scopes: [...scopes], createdBy: by.subject, createdAt: clock.now() };
      const text = `sl_${keyId}_${hash(`secret ${count}`, 64)}`;
      kept.set(keyId, { key, tenant: by.tenant, text });
      return { key: copy(key), text };
    },

    async verify(text): Promise<Identity | undefined> {
      const found = kept.get(API_KEY.exec(text)?.[1] ?? '');
      if (found?.text !== text || found.key.revokedAt !== undefined) return undefined;
      const { keyId, name, scopes } = found.key;
      change(keyId, { lastUsedOn: new Date(clock.now()).toISOString().slice(0, 10) });
      const { tenant } = found;
      return { tenant, subject: `key:${keyId}`, kind: 'key', name, ...(scopes.length > 0 && { scopes }) };
    },

    async isLive(keyId) {
      const found = kept.get(keyId);
      return found !== undefined && found.key.revokedAt === undefined;
    },

    async list(tenant) {
      const keys = [...kept.values()].filter((one) => one.tenant === tenant).map(({ key }) => copy(key));
      return keys.sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
    },

    async revoke(tenant, keyId) {
      const found = kept.get(keyId);
      if (found?.tenant !== tenant) return 'unknown';
      return copy(change(keyId, { revokedAt: found.key.revokedAt ?? clock.now() })) ?? 'unknown';
    },
  };
}
