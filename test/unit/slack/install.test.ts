import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Request } from '../../../functions/slack/context.ts';
import { type InstallContext, onCallback, onInstall } from '../../../functions/slack/install.ts';
import { ADMIN_ROLE, type Identity } from '../../../shared/contract/identity.ts';
import { createSlackStore } from '../../../shared/memory/slack.ts';
import type { BotToken } from '../../../shared/slack/bot-token.ts';
import { virtualClock } from '../../../testing/clock.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [ADMIN_ROLE] };
/** The owner of each ticket. */
const holders: Readonly<Record<string, Identity>> = {
  good: ada,
  'the operator’s': { tenant: 'default', subject: 'operator', kind: 'token' },
  'a user’s': { ...ada, subject: 'user:bob', roles: ['reader'] },
  'a key’s': { tenant: 'acme', subject: 'key:acme.aaaaaaaaaaaa', kind: 'key' },
};
const clock = virtualClock();
let store: ReturnType<typeof createSlackStore>;
let kept: [string, BotToken][];
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

const context = (config = {}) =>
  ({
    store,
    config,
    tokens: {
      async put(team: string, token: BotToken) {
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

/** The first half of the install flow: the state, and the browser's cookie. */
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

test('the scope of the assistant’s pane is asked for if the definition has it', async () => {
  const scopes = async (config: object) => {
    const { headers } = await onInstall(request({ ticket: 'good' }), context(config));
    return new URL(String(headers?.location)).searchParams.get('scope')?.split(',');
  };
  expect(await scopes({})).not.toContain('assistant:write');
  expect(await scopes({ assistant: {} })).toContain('assistant:write');
});

test('only an administrator of the tenant connects a workspace to it', async () => {
  expect(await begun('the operator’s')).toMatchObject({ statusCode: 302 });
  for (const ticket of ['a user’s', 'a key’s']) {
    const refused = { problem: { status: 403, title: 'Not allowed' } };
    await expect(onInstall(request({ ticket }), context()), ticket).rejects.toMatchObject(refused);
  }
});

test('the token becomes a secret, and the workspace the tenant’s; the flow cannot be repeated', async () => {
  const { state, cookie } = await begun();
  const back = request({ code: 'c', state }, [cookie]);
  expect(await onCallback(back, context())).toMatchObject({ statusCode: 200 });
  expect(kept).toEqual([['T9TK3CUKW', { token: 'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy' }]]);
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

test('another browser can neither finish it nor spoil it', async () => {
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
    'neither a workspace nor an organisation is named',
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
    502,
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

/** As docs.slack.dev/enterprise/organization-ready-apps shows it. */
const orgWide = {
  ok: true,
  access_token: 'xoxb-1',
  bot_user_id: 'W0BOT',
  team: null,
  enterprise: { id: 'E1STARSHIP', name: 'Starship' },
  is_enterprise_install: true,
};

/** The whole install flow; returns its last answer. */
async function installed(access: object) {
  answers['oauth.v2.access'] = access;
  const { state, cookie } = await begun();
  return onCallback(request({ code: 'c', state }, [cookie]), context());
}

test('an organisation that installs the app has one installation for all of its workspaces', async () => {
  expect(await installed(orgWide)).toMatchObject({ statusCode: 200 });
  expect(kept).toEqual([['E1STARSHIP', { token: 'xoxb-1' }]]);
  expect(await store.installation('E1STARSHIP')).toMatchObject({
    team: 'E1STARSHIP',
    orgWide: true,
    enterprise: 'E1STARSHIP',
    tenant: 'acme',
    botUser: 'W0BOT',
  });
});

test('a workspace of an organisation that belongs to another tenant is not connected', async () => {
  await store.install({
    ...{ team: 'E1STARSHIP', orgWide: true, enterprise: 'E1STARSHIP', tenant: 'other' },
    ...{ botUser: 'U1', secretId: 'x', installedAt: 1 },
  });
  const ofOne = { ...orgWide, team: { id: 'T1' }, is_enterprise_install: false };
  expect(await installed(ofOne)).toMatchObject({ statusCode: 409 });
  expect(await installed(orgWide)).toMatchObject({ statusCode: 409 });
  expect(kept).toEqual([]);
});

test('a token that expires is kept with the token that renews it', async () => {
  const ending = { access_token: 'xoxe.xoxb-1', refresh_token: 'xoxe-1', expires_in: 43_200 };
  expect(await installed({ ...orgWide, ...ending })).toMatchObject({ statusCode: 200 });
  const renewal = { refresh: 'xoxe-1', expiresAt: clock.now() + 43_200_000 };
  expect(kept).toEqual([['E1STARSHIP', { token: 'xoxe.xoxb-1', renewal }]]);
});
