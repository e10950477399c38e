import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Request } from '../../../functions/slack/context.ts';
import { type InstallContext, onCallback, onInstall } from '../../../functions/slack/install.ts';
import { ADMIN_ROLE, type Identity } from '../../../shared/contract/identity.ts';
import { createSlackStore } from '../../../shared/memory/slack.ts';
import { virtualClock } from '../../../testing/clock.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [ADMIN_ROLE] };
/** Who holds which ticket. */
const holders: Readonly<Record<string, Identity>> = {
  good: ada,
  'the operator’s': { tenant: 'default', subject: 'operator', kind: 'token' },
  'a user’s': { ...ada, subject: 'user:bob', roles: ['reader'] },
  'a key’s': { tenant: 'acme', subject: 'key:acme.aaaaaaaaaaaa', kind: 'key' },
};
const clock = virtualClock();
let store: ReturnType<typeof createSlackStore>;
let kept: [string, string][];
let answers: Record<string, object>;
beforeEach(() => {
  store = createSlackStore(clock);
  kept = [];
  answers = {
    'oauth.v2.access': {
      ok: true,
      access_token: 'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy',
      token_type: 'bot',
      scope: 'commands,chat:write',
      bot_user_id: 'U0KRQLJ9H',
      app_id: 'A0KRD7HC3',
      team: { name: 'Slack Softball Team', id: 'T9TK3CUKW' },
      enterprise: null,
      is_enterprise_install: false,
      authed_user: { id: 'U1234' },
    },
    'auth.test': { ok: true, url: 'https://softball.slack.com/', team_id: 'T9TK3CUKW', user_id: 'U0KRQLJ9H' },
  };
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    const method = String(url).split('/').at(-1) ?? '';
    return Response.json(answers[method] ?? { ok: false, error: 'unknown_method' });
  });
});
afterEach(() => void vi.restoreAllMocks());

const context = () =>
  ({
    store,
    tokens: {
      async put(team: string, token: string) {
        kept.push([team, token]);
        return `steploop/slack/${team}`;
      },
    },
    io: { clock },
    apiUrl: 'https://slack.com/api/',
    clientId: '1234.5678',
    clientSecret: async () => 'shh',
    tickets: { redeem: async (ticket: string) => holders[ticket] },
  }) as unknown as InstallContext;
const request = (query: Record<string, string>, cookies?: string[]) =>
  ({
    queryStringParameters: query,
    requestContext: { domainName: 'api.example.com' },
    ...(cookies && { cookies }),
  }) as unknown as Request;

/** The first half of the walk: the state, and the browser's cookie. */
async function begun(ticket = 'good') {
  const { statusCode, headers, cookies = [] } = await onInstall(request({ ticket }), context());
  const url = new URL(String(headers?.location));
  return {
    statusCode,
    url,
    state: url.searchParams.get('state') ?? '',
    cookie: cookies[0]?.split(';')[0] ?? '',
  };
}

test('a ticket leads to Slack’s consent page, with the scopes, and a state for this browser', async () => {
  const { statusCode, url, cookie } = await begun();
  expect(statusCode).toBe(302);
  expect(url.origin + url.pathname).toBe('https://slack.com/oauth/v2/authorize');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: '1234.5678',
    redirect_uri: 'https://api.example.com/slack/oauth/callback',
    scope: expect.stringContaining('app_mentions:read,'),
  });
  expect(cookie).toMatch(/^steploop-slack=[0-9a-f]{64}$/);
  await expect(onInstall(request({ ticket: 'made up' }), context())).rejects.toMatchObject({
    problem: { status: 401 },
  });
  await expect(onInstall(request({}), context())).rejects.toMatchObject({ problem: { status: 401 } });
});

test('only who may administer the tenant connects a workspace to it', async () => {
  expect(await begun('the operator’s')).toMatchObject({ statusCode: 302 });
  for (const ticket of ['a user’s', 'a key’s']) {
    const refused = { problem: { status: 403, title: 'Not allowed' } };
    await expect(onInstall(request({ ticket }), context()), ticket).rejects.toMatchObject(refused);
  }
});

test('the token becomes a secret, and the workspace the tenant’s; the walk cannot be repeated', async () => {
  const { state, cookie } = await begun();
  const back = request({ code: 'c', state }, [cookie]);
  expect(await onCallback(back, context())).toMatchObject({ statusCode: 200 });
  expect(kept).toEqual([['T9TK3CUKW', 'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy']]);
  expect(await store.installation('T9TK3CUKW')).toEqual({
    team: 'T9TK3CUKW',
    tenant: 'acme',
    botUser: 'U0KRQLJ9H',
    secretId: 'steploop/slack/T9TK3CUKW',
    url: 'https://softball.slack.com/',
    installedAt: clock.now(),
  });
  expect(await onCallback(back, context())).toMatchObject({ statusCode: 400 });
  expect(kept).toHaveLength(1);
});

test('another browser cannot finish it, nor spoil it', async () => {
  const { state, cookie } = await begun();
  const other = await begun();
  expect(await onCallback(request({ code: 'c', state }), context())).toMatchObject({ statusCode: 400 });
  expect(await onCallback(request({ code: 'c', state }, [other.cookie]), context())).toMatchObject({
    statusCode: 400,
  });
  expect(kept).toEqual([]);
  expect(await onCallback(request({ code: 'c', state }, [cookie]), context())).toMatchObject({
    statusCode: 200,
  });
});

test.for([
  ['a person said no', { error: 'access_denied' }, {}, 400],
  ['the code is wrong', {}, { 'oauth.v2.access': { ok: false, error: 'invalid_code' } }, 502],
  [
    'a whole organization',
    {},
    {
      'oauth.v2.access': {
        ok: true,
        access_token: 'xoxb-1',
        bot_user_id: 'U1',
        team: null,
        is_enterprise_install: true,
      },
    },
    400,
  ],
  [
    'no bot token',
    {},
    { 'oauth.v2.access': { ok: true, access_token: 'xoxp-1', bot_user_id: 'U1', team: { id: 'T1' } } },
    502,
  ],
] as const)('nothing is installed when %s', async ([, query, changed, status]) => {
  Object.assign(answers, changed);
  const { state, cookie } = await begun();
  const answer = await onCallback(request({ code: 'c', state, ...query }, [cookie]), context());
  expect(answer).toMatchObject({ statusCode: status });
  expect(kept).toEqual([]);
});

test('a workspace of another tenant stays that tenant’s', async () => {
  const theirs = { team: 'T9TK3CUKW', tenant: 'other', botUser: 'U1', secretId: 'x', installedAt: 1 };
  await store.install(theirs);
  const { state, cookie } = await begun();
  expect(await onCallback(request({ code: 'c', state }, [cookie]), context())).toMatchObject({
    statusCode: 409,
  });
  expect(kept).toEqual([]);
  expect(await store.installation('T9TK3CUKW')).toEqual(theirs);
});
