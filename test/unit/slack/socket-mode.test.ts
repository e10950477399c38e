import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../../local/slack/socket/connection.ts';
import { openGoBetween } from '../../../local/slack/socket/go-between.ts';
import { type Envelope, requestOf } from '../../../local/slack/socket/requests.ts';
import { readTokens } from '../../../local/slack/socket/tokens.ts';
import { fakeSlack } from '../../support/fake-slack.ts';
import * as recorded from '../../support/slack-recordings.ts';
import { APP_TOKEN, type SocketDoor, socketDoor } from '../../support/socket-door.ts';

const event = (id: string, text = 'hello') => ({
  ...{ envelope_id: id, type: 'events_api', accepts_response_payload: false },
  payload: recorded.envelope(recorded.appMention({ text })),
});

describe('a connection', () => {
  let door: SocketDoor;
  let connection: Connection | undefined;
  let taken: Envelope[];
  let said: string[];
  beforeEach(async () => {
    door = await socketDoor();
    taken = [];
    said = [];
  });
  afterEach(async () => {
    await connection?.stop();
    connection = undefined;
    await door[Symbol.asyncDispose]();
  });
  const open = async (answer: (envelope: Envelope) => object | undefined = () => undefined) => {
    connection = await openConnection({
      appToken: APP_TOKEN,
      apiUrl: door.apiUrl,
      pauseMs: 1,
      say: (text) => void said.push(text),
      async take(envelope) {
        taken.push(envelope);
        return answer(envelope);
      },
    });
  };

  test('passes on envelopes, and acknowledges them with the answer', async () => {
    await open(() => ({ text: 'On it.' }));
    expect(
      await door.send({ envelope_id: 'e1', type: 'slash_commands', payload: { command: '/steploop' } }),
    ).toEqual({
      envelope_id: 'e1',
      payload: { text: 'On it.' },
    });
    expect(taken).toMatchObject([{ type: 'slash_commands', body: { command: '/steploop' } }]);
  });

  test('handles a repeated envelope once, and acknowledges it twice', async () => {
    await open();
    await door.send(event('e1'));
    await door.send(event('e1'));
    expect(door.acks.map(({ envelope_id }) => envelope_id)).toEqual(['e1', 'e1']);
    expect(taken).toHaveLength(1);
  });

  test('does not acknowledge a failure, and handles the envelope when it comes again', async () => {
    await open(() => {
      if (taken.length === 1) throw new Error('HTTP 500');
      return undefined;
    });
    void door.send(event('e1'));
    await door.send(event('e2'));
    expect(door.acks.map(({ envelope_id }) => envelope_id)).not.toContain('e1');
    await door.send(event('e1'));
    expect(taken.map(({ envelope_id }) => envelope_id)).toEqual(['e1', 'e2', 'e1']);
  });

  test('reconnects when Slack asks for it, and when the network ends it', async () => {
    await open();
    door.refresh();
    await expect.poll(() => door.opened(), { timeout: 10_000 }).toBe(2);
    await door.send(event('e1'));
    door.drop();
    await expect.poll(() => door.opened(), { timeout: 10_000 }).toBe(3);
    await door.send(event('e2'));
    expect(taken.map(({ envelope_id }) => envelope_id)).toEqual(['e1', 'e2']);
    expect(said).toEqual([]);
  });

  test('is retried until Slack accepts it, which is logged', async () => {
    await open();
    door.refuse('internal_error', 3);
    door.drop();
    await expect.poll(() => door.opened()).toBe(2);
    await door.send(event('e1'));
    expect(said).toEqual([
      'Slack refuses a Socket Mode connection (internal_error): is Socket Mode on in the app’s settings? It will be retried.',
      'Slack is connected again.',
    ]);
  });

  test('stays closed when it is stopped, and ignores answers that the app did not request', async () => {
    await open();
    void door.send({ envelope_id: 'e0', type: 'something_new', payload: {} });
    await door.send(event('e1'));
    await connection?.stop();
    expect(door.opened()).toBe(1);
    expect(taken.map(({ envelope_id }) => envelope_id)).toEqual(['e1']);
  });

  test.each([
    ['invalid_auth', 'does not know SLACK_APP_TOKEN'],
    ['missing_scope', 'lacks the scope connections:write'],
    ['not_allowed_token_type', 'another kind of token'],
    ['forbidden_team', 'is Socket Mode on in the app’s settings?'],
  ])('that Slack refuses with %s is reported with a sentence', async (error, sentence) => {
    door.refuse(error, 1);
    await expect(open()).rejects.toThrow(sentence);
    await expect(open()).resolves.toBeUndefined();
  });
});

test('an envelope from a socket is the same request as over HTTP', () => {
  const body = recorded.envelope(recorded.appMention());
  expect(requestOf({ type: 'events_api', body })).toEqual({
    path: '/slack/events',
    type: 'application/json',
    body: JSON.stringify(body),
  });
  const clicked = requestOf({ type: 'interactive', body: { type: 'block_actions', a: '&=' } });
  expect(clicked).toMatchObject({ path: '/slack/interactions', type: 'application/x-www-form-urlencoded' });
  expect(new URLSearchParams(clicked.body).get('payload')).toBe('{"type":"block_actions","a":"&="}');
  const command = requestOf({
    type: 'slash_commands',
    body: { command: '/steploop', text: 'a & b', team_id: 'T1' },
  });
  expect(command.path).toBe('/slack/commands');
  expect(Object.fromEntries(new URLSearchParams(command.body))).toEqual({
    command: '/steploop',
    text: 'a & b',
    team_id: 'T1',
  });
});

test.each([
  [{}, 'Socket Mode needs SLACK_APP_TOKEN and SLACK_BOT_TOKEN'],
  [{ SLACK_APP_TOKEN: APP_TOKEN, SLACK_BOT_TOKEN: '' }, 'Socket Mode needs SLACK_BOT_TOKEN'],
  [
    { SLACK_APP_TOKEN: 'xoxb-secret', SLACK_BOT_TOKEN: 'xoxb-1' },
    'SLACK_APP_TOKEN is another kind of token.',
  ],
  [
    { SLACK_APP_TOKEN: APP_TOKEN, SLACK_BOT_TOKEN: 'xoxp-secret' },
    'SLACK_BOT_TOKEN is another kind of token.',
  ],
  [
    { SLACK_APP_TOKEN: APP_TOKEN, SLACK_BOT_TOKEN: 'xoxe.xoxb-secret' },
    'SLACK_BOT_TOKEN expires within 12 hours',
  ],
])('tokens %j are refused, and not quoted', (given, sentence) => {
  const read = readTokens(given);
  expect(read).toMatchObject({ kind: 'wrong', message: expect.stringContaining(sentence) });
  expect(JSON.stringify(read)).not.toContain('secret');
});

test('both tokens are accepted', () => {
  const tokens = { app: APP_TOKEN, bot: 'xoxb-1' };
  expect(readTokens({ SLACK_APP_TOKEN: APP_TOKEN, SLACK_BOT_TOKEN: 'xoxb-1' })).toEqual({
    kind: 'tokens',
    tokens,
  });
});

test('the proxy gives the bot’s token to its own code only, and passes everything else on', async () => {
  await using slack = await fakeSlack();
  slack.next('auth.test', 'ok');
  const between = await openGoBetween(slack.url, 'xoxb-1');
  const call = async (method: string, args: Record<string, string>) => {
    const response = await fetch(between.apiUrl + method, {
      method: 'POST',
      headers: { authorization: 'Bearer xoxb-9' },
      body: new URLSearchParams(args),
    });
    return {
      status: response.status,
      retry: response.headers.get('retry-after'),
      body: await response.json(),
    };
  };
  try {
    expect((await call('oauth.v2.access', { code: 'guessed' })).body).toEqual({
      ok: false,
      error: 'invalid_code',
    });
    expect((await call('oauth.v2.access', { code: between.code })).body).toMatchObject({
      access_token: 'xoxb-1',
      bot_user_id: 'U0BOT',
      team: { id: 'T1' },
      is_enterprise_install: false,
    });
    slack.next('chat.postMessage', { limited: 7 });
    expect(await call('chat.postMessage', { channel: 'C1', text: 'hi' })).toMatchObject({
      status: 429,
      retry: '7',
    });
    expect((await call('chat.postMessage', { channel: 'C1', text: 'hi' })).body).toMatchObject({ ok: true });
    expect(slack.texts()).toEqual(['hi']);
    expect((await fetch(`${between.apiUrl}../other`)).status).toBe(404);
  } finally {
    await between.stop();
  }
  slack.next('auth.test', { error: 'invalid_auth' });
  await expect(openGoBetween(slack.url, 'xoxb-1')).rejects.toThrow(
    'Slack refuses SLACK_BOT_TOKEN (invalid_auth)',
  );
});
