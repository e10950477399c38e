/**
 * Borrowed rights: every door by which words may reach a run, with everyone who may stand at it. One table says who becomes a
 * requester of the run; policies, four eyes, grants and `context.user` read only that.
 */

import { createHmac } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import { placeKeyOf } from '../../shared/slack/place.ts';
import { local } from '../support/embedded.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { type RuleModel, ruleModel } from '../support/rule-model.ts';
import { workspace } from '../support/slack-workspace.ts';
import { attempt, countAttempts } from './attempts.ts';
import { type Ask, type DoorName, doors, prepared } from './kinds/doors.ts';
import { atRest, type Call, rule } from './target.ts';

const roles = ['owner', 'stranger', 'operator', 'admin', 'key', 'deciding key', 'token'] as const;
type Role = (typeof roles)[number];

/** `asks`: becomes a requester. `silent`: is let in, and does not become one. A status: is refused. */
type Outcome = 'asks' | 'silent' | number;
/** In the order of `roles`. */
type Row = readonly [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome, Outcome];

/** People who see the session may write to it, and all their words count. For others it does not exist. */
const words: Row = ['asks', 404, 'asks', 'asks', 'asks', 'asks', 'asks'];
const noWords: Row = ['silent', 404, 'silent', 'silent', 'silent', 'silent', 'silent'];
/** Everyone of the tenant may decide, except keys that were not minted for it. Ada has asked for the run already. */
const decides: Row = ['asks', 'silent', 'silent', 'silent', 403, 'silent', 'silent'];

const table: Readonly<Record<DoorName, Row>> = {
  'a new session': ['asks', 'asks', 'asks', 'asks', 'asks', 'asks', 'asks'],
  'a message over HTTP': words,
  'a message over AG-UI': words,
  'a message over chat': words,
  'a message while a question is open': words,
  'an answer over HTTP': words,
  'an answer over the WebSocket': words,
  'an answer over AG-UI': words,
  'an answer over chat': words,
  'a refusal with a note': ['asks', 'asks', 'asks', 'asks', 403, 'asks', 'asks'],
  'a refusal without a word': decides,
  'an approval whose note no model reads': decides,
  'a retry': words,
  'an edit': words,
  'a fork with a message': words,
  'a fork without a word': noWords,
  'a request to wrap up': words,
  'a cancel': ['asks', 404, 'silent', 'silent', 'silent', 'silent', 'silent'],
  'a new title': ['asks', 404, 'silent', 'silent', 'silent', 'silent', 'silent'],
};
/** Doors after which Ada's own words are still in the run. */
const keepsHers = (door: DoorName) => doors[door].before !== 'hello' || door === 'a new title';

let model: RuleModel;
let idp: OidcIssuer;
let it: Awaited<ReturnType<typeof workspace>>;
let dynamodb: DynamoDBClient;
let ada: Call;
const callers = new Map<Role, { readonly subject: string; readonly call: Call }>();
const sockets: WebSocket[] = [];

beforeAll(async () => {
  idp = await startOidcIssuer();
  model = await ruleModel(rule);
  it = await workspace(model, {}, { [env.OIDC_ISSUER]: idp.issuer, [env.OIDC_AUDIENCE]: idp.audience });
  const { api, stack } = it.world;
  dynamodb = new DynamoDBClient({ ...local, endpoint: stack.endpoints.dynamodb });
  const as =
    (credential: string): Call =>
    (method, path, body) =>
      api(method, path, body, { authorization: `Bearer ${credential}` });
  const user = async (sub: string, ...names: string[]) => ({
    subject: `user:${sub}`,
    call: as(await idp.token({ tenant: 'default', sub, roles: names })),
  });
  const key = async (...scopes: string[]) => {
    const { body } = await api('POST', '/keys', { name: 'robot', scopes });
    return { subject: `key:${body.keyId}`, call: as(body.key) };
  };
  callers.set('owner', await user('ada'));
  callers.set('stranger', await user('bob'));
  callers.set('operator', await user('olga', 'steploop-operator'));
  callers.set('admin', await user('anna', 'steploop-admin'));
  callers.set('key', await key());
  callers.set('deciding key', await key('decide'));
  callers.set('token', { subject: 'operator', call: api });
  ada = callerOf('owner').call;
});
afterAll(async () => {
  for (const socket of sockets) socket.close();
  dynamodb?.destroy();
  await it?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

function callerOf(role: Role) {
  const caller = callers.get(role);
  if (!caller) throw new Error(`no ${role}`);
  return caller;
}

/** The requesters of the session's last run, as policies read them. */
async function requestersOf(sessionId: string): Promise<readonly string[]> {
  const Key = { pk: { S: `default#${sessionId}` }, sk: { S: 'HEAD' } };
  const TableName = it.world.stack.outputs.TableName ?? '';
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName, Key }));
  return Item ? (unmarshall(Item).run?.requesters ?? []) : [];
}

async function connect(call: Call): Promise<Ask> {
  const { body } = await call('POST', '/tickets');
  const socket = new WebSocket(`${it.world.stack.outputs.SocketUrl}?ticket=${body.ticket}`);
  sockets.push(socket);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  return (request) =>
    new Promise((resolve) => {
      socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
      socket.send(JSON.stringify(request));
    });
}

async function tried(door: DoorName, role: Role): Promise<[Role, Outcome]> {
  attempt('borrowed rights');
  const { subject, call } = callerOf(role);
  const at = await prepared(ada, doors[door].before);
  const where = await doors[door].go(call, at, connect);
  if (typeof where === 'number') {
    // A refusal leaves the run as it was.
    expect(await requestersOf(at.id), role).toEqual(['user:ada']);
    return [role, where];
  }
  if (door === 'a request to wrap up') await settled(at.id, at.waitId);
  if (door !== 'a fork without a word') await atRest(it.world.api, where.id);
  const requesters = await requestersOf(where.id);
  if (keepsHers(door)) expect(requesters, role).toContain('user:ada');
  return [role, requesters.includes(subject) ? 'asks' : 'silent'];
}

/** Lets a run that waits for an approval go on, by an admin who says nothing. */
async function settled(id: string, waitId: string): Promise<void> {
  const { call } = callerOf('admin');
  await call('POST', `/sessions/${id}/decisions`, { id: waitId, approved: false });
}

describe('over our own APIs', () => {
  test.each(Object.keys(table) as DoorName[])(
    '%s: who becomes a requester, and who is refused',
    async (door) => {
      const found = await Promise.all(roles.map((role) => tried(door, role)));
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(roles.map((role, n) => [role, table[door][n]])),
      );
    },
  );
});

describe('over the doors of others', () => {
  const slackSession = (thread: string) => {
    const { team, channel } = it.slack;
    return sessionIdFor('slack', placeKeyOf({ team, channel, thread }));
  };
  const member = (name: string) => `slack:${it.slack.team}:${it.slack.users[name]}`;
  const waits = async (id: string) => {
    await expect
      .poll(async () => (await it.world.session(id)).waits ?? [], { timeout: 20_000 })
      .toHaveLength(1);
  };
  const rests = (id: string) =>
    expect.poll(async () => (await it.world.session(id)).state, { timeout: 20_000 }).toBe('completed');

  test('Slack: who begins, and who answers in the thread, are requesters', async () => {
    attempt('borrowed rights', 2);
    const { ts } = await it.slack.say('ada', `<@${it.slack.botUser}> ask x`);
    const id = await slackSession(ts);
    await waits(id);
    expect(await requestersOf(id)).toEqual([member('ada')]);
    await it.slack.say('jonas', `<@${it.slack.botUser}> FIN`, ts);
    await rests(id);
    expect(await requestersOf(id)).toEqual([member('ada'), member('jonas')]);
  });

  test('a webhook is the requester of the run that it begins', async () => {
    attempt('borrowed rights');
    const body = JSON.stringify({ action: 'opened', issue: { number: 1, title: 'hello' } });
    const signature = createHmac('sha256', it.world.webhookSecret).update(body).digest('hex');
    const answer = await it.world.api('POST', '/hooks/github', body, {
      'x-github-event': 'issues',
      'x-github-delivery': '1',
      'x-hub-signature-256': `sha256=${signature}`,
    });
    expect(answer.status).toBe(202);
    const id = await sessionIdFor('hook', 'github:test#1');
    await rests(id);
    expect(await requestersOf(id)).toEqual(['webhook:github']);
  });
});

countAttempts(import.meta.url, 'borrowed rights');
