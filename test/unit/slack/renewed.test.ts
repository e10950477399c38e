import { expect, test } from 'vitest';
import { createSlackStore } from '../../../shared/memory/slack.ts';
import { createSlackTokens } from '../../../shared/memory/slack-tokens.ts';
import type { Answer } from '../../../shared/slack/api.ts';
import { type BotToken, fromSecret } from '../../../shared/slack/bot-token.ts';
import { renewToken } from '../../../shared/slack/renew.ts';
import { renewing } from '../../../shared/slack/renewed.ts';
import { virtualClock } from '../../../testing/clock.ts';
import { fakeSlack } from '../../support/fake-slack.ts';

const hours = 3_600_000;

/**
 * A Slack with single-use refresh tokens, and functions that share a store and secrets, each with its own cache.
 *
 * @param left ms until the installed token expires
 */
async function world(left: number, says: (n: number) => 'ok' | 'lost' | 'refused' = () => 'ok') {
  const clock = virtualClock();
  const store = createSlackStore(clock);
  const secrets = createSlackTokens();
  let good = 'refresh-0';
  let count = 0;
  const asked: string[] = [];
  const lost: unknown[] = [];
  const first: BotToken = { token: 'token-0', renewal: { refresh: good, expiresAt: clock.now() + left } };
  const installation = { team: 'T1', secretId: await secrets.put('T1', first) };
  async function renew(refresh: string): Promise<Answer<BotToken>> {
    const said = says(asked.push(refresh));
    await Promise.resolve();
    if (refresh !== good || said === 'refused') return { kind: 'refused', error: 'invalid_refresh_token' };
    if (said === 'lost') return { kind: 'unknown', error: 'no answer' };
    count += 1;
    good = `refresh-${count}`;
    const renewal = { refresh: good, expiresAt: clock.now() + 12 * hours };
    return { kind: 'ok', value: { token: `token-${count}`, renewal } };
  }
  const aFunction = (tokens: Parameters<typeof renewing>[0]['tokens'] = secrets) =>
    renewing({ tokens, store, clock, renew, onRefused: (facts) => void lost.push(facts) });
  return { clock, store, secrets, installation, aFunction, asked, lost };
}

test('a token that does not expire, or not soon, is used as it is', async () => {
  const it = await world(3 * hours);
  expect(await it.aFunction()(it.installation)).toBe('token-0');
  await it.secrets.put('T1', { token: 'for-ever' });
  expect(await it.aFunction()(it.installation)).toBe('for-ever');
  expect(it.asked).toEqual([]);
});

test('of functions that renew at once one does, and none loses the token', async () => {
  const it = await world(hours);
  const had = await Promise.all(Array.from({ length: 20 }, () => it.aFunction()(it.installation)));
  expect(it.asked).toEqual(['refresh-0']);
  // The others continue with the token that is valid for an hour more.
  expect(new Set(had)).toEqual(new Set(['token-0', 'token-1']));
  expect(await it.aFunction()(it.installation)).toBe('token-1');
  await it.clock.advance(11 * hours);
  expect(await it.aFunction()(it.installation)).toBe('token-2');
  expect(it.asked).toEqual(['refresh-0', 'refresh-1']);
});

test('if the token has expired, the others wait for the new one', async () => {
  const it = await world(-1);
  const had = Array.from({ length: 5 }, () => it.aFunction()(it.installation));
  await it.clock.advance(5_000);
  expect(await Promise.all(had)).toEqual(Array(5).fill('token-1'));
  expect(it.asked).toEqual(['refresh-0']);
});

test('a function that dies with its claim delays the others for a minute, and no longer', async () => {
  const it = await world(-1);
  const { renewal } = await it.secrets.get(it.installation.secretId);
  await it.store.claimRenewal('T1', renewal?.expiresAt ?? 0, it.clock.now() + 60_000);
  const early = expect(it.aFunction()(it.installation)).rejects.toThrow('is not renewed yet');
  await it.clock.advance(10_000);
  await early;
  await it.clock.advance(50_000);
  expect(await it.aFunction()(it.installation)).toBe('token-1');
});

test('a failed write of the new token is retried: Slack rejects the old one from now on', async () => {
  const it = await world(hours);
  let fails = 2;
  const flaky = {
    get: it.secrets.get,
    async put(team: string, token: BotToken) {
      if (fails-- > 0) throw new Error('away');
      return it.secrets.put(team, token);
    },
  };
  const had = it.aFunction(flaky)(it.installation);
  await it.clock.advance(5_000);
  expect(await had).toBe('token-1');
  expect(await it.secrets.get(it.installation.secretId)).toMatchObject({ token: 'token-1' });
});

test('if Slack does not answer, the old token is used as long as it is valid', async () => {
  const it = await world(hours, (n) => (n === 1 ? 'lost' : 'ok'));
  expect(await it.aFunction()(it.installation)).toBe('token-0');
  await it.clock.advance(60_000);
  expect(await it.aFunction()(it.installation)).toBe('token-1');
});

test('a refusal is reported as an error, and Slack itself decides whether the old token still works', async () => {
  const it = await world(-1, () => 'refused');
  expect(await it.aFunction()(it.installation)).toBe('token-0');
  expect(it.lost).toEqual([{ team: 'T1', reason: 'invalid_refresh_token' }]);
});

test('a refusal of an older token is resolved by a newer one in the store', async () => {
  const it = await world(-1);
  const old = await it.secrets.get(it.installation.secretId);
  const stale = {
    put: it.secrets.put,
    get: async (id: string, fresh?: boolean) => (fresh ? it.secrets.get(id) : old),
  };
  const next = { token: 'token-9', renewal: { refresh: 'r', expiresAt: it.clock.now() + 9 * hours } };
  await it.secrets.put('T1', next);
  expect(await it.aFunction(stale)(it.installation)).toBe('token-9');
  expect(it.asked).toEqual([]);
});

test('a refresh token is exchanged at Slack', async () => {
  await using slack = await fakeSlack();
  const app = { apiUrl: slack.url, clientId: '1.2', clientSecret: 'shh' };
  slack.next('oauth.v2.access', { error: 'invalid_refresh_token' });
  expect(await renewToken('xoxe-1', app, { now: () => 0 })).toEqual({
    kind: 'refused',
    error: 'invalid_refresh_token',
  });
  expect(slack.calls[0]?.args).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: 'xoxe-1',
    client_id: '1.2',
    client_secret: 'shh',
  });
});

test('a secret in an unknown format is refused, and not quoted', () => {
  expect(() => fromSecret('{"token":1,"x":"hush"}')).toThrow(
    /^(?!.*hush).*not in the format that Steploop writes/,
  );
  expect(fromSecret('xoxb-1')).toEqual({ token: 'xoxb-1' });
});
