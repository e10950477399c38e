import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import { API_KEY, type Identity, KeyId } from '../../shared/contract/identity.ts';
import type { ApiKeys } from '../../shared/edge/api-keys.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: ['steploop-admin'] };
const eve: Identity = { tenant: 'globex', subject: 'user:eve', kind: 'jwt', roles: ['steploop-admin'] };

/** The contract of `ApiKeys`. */
export function apiKeysContract(name: string, open: (clock: Clock) => Promise<ApiKeys>): void {
  describe(`${name}: API keys`, () => {
    let clock: VirtualClock;
    let keys: ApiKeys;
    beforeEach(async () => {
      clock = virtualClock();
      keys = await open(clock);
    });

    test('a minted key belongs to its tenant and has the documented form', async () => {
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
      expect(await keys.verify(text)).toEqual({
        tenant: 'acme',
        subject: `key:${key.keyId}`,
        kind: 'key',
        name: 'nightly report',
      });
    });

    test('minting says which extra scopes a key has', async () => {
      const { key, text } = await keys.mint(ada, 'desk', ['decide']);
      expect(key.scopes).toEqual(['decide']);
      expect(await keys.verify(text)).toMatchObject({ subject: `key:${key.keyId}`, scopes: ['decide'] });
      expect(await keys.list('acme')).toMatchObject([{ scopes: ['decide'] }]);
    });

    test('a key of a tenant whose name uses every allowed character', async () => {
      const tenant = `a_-${'x'.repeat(61)}`;
      const { text } = await keys.mint({ ...ada, tenant }, 'odd');
      expect(await keys.verify(text)).toMatchObject({ tenant });
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
    ])('the key %s is invalid', async (_name, change) => {
      const { text } = await keys.mint(ada, 'mine');
      expect(await keys.verify(change(text))).toBeUndefined();
      expect(await keys.verify(text)).toMatchObject({ tenant: 'acme' });
    });

    test('a revoked key is invalid as soon as its revocation is acknowledged', async () => {
      const { key, text } = await keys.mint(ada, 'mine');
      expect(await keys.verify(text)).toBeDefined();
      expect(await keys.isLive(key.keyId)).toBe(true);
      const revoked = await keys.revoke('acme', key.keyId);
      expect(revoked).toMatchObject({ keyId: key.keyId, revokedAt: clock.now() });
      expect(await keys.verify(text)).toBeUndefined();
      expect(await keys.isLive(key.keyId)).toBe(false);
    });

    test('revoking again keeps the first time', async () => {
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

    test('a list has all keys of the tenant, revoked ones included, and no others', async () => {
      const mine = [(await keys.mint(ada, 'one')).key, (await keys.mint(ada, 'two')).key];
      await keys.mint(eve, 'theirs');
      await keys.revoke('acme', mine[0]?.keyId ?? '');
      const listed = await keys.list('acme');
      expect(listed.map(({ name }) => name).sort()).toEqual(['one', 'two']);
      expect(listed.filter(({ revokedAt }) => revokedAt !== undefined).map(({ name }) => name)).toEqual([
        'one',
      ]);
    });

    test('the last use is recorded to the day', async () => {
      const { text } = await keys.mint(ada, 'mine');
      const use = async () => {
        await keys.verify(text);
        const [{ lastUsedOn } = {}] = await keys.list('acme');
        return lastUsedOn;
      };
      expect((await keys.list('acme'))[0]).not.toHaveProperty('lastUsedOn');
      const today = new Date(clock.now()).toISOString().slice(0, 10);
      expect(await use()).toBe(today);
      await clock.advance(24 * 3600_000);
      const next = new Date(clock.now()).toISOString().slice(0, 10);
      expect([next === today, await use()]).toEqual([false, next]);
    });
  });
}
