import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Embedded, embedded, webhookSecrets } from '../support/embedded.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let world: Embedded;
let model: RuleModel;
let secrets: string[];
let runs = 0;
beforeAll(async () => {
  model = await ruleModel(() => sayText(`Answer ${++runs}.`));
  world = await embedded({ model });
  secrets = (await world.api('GET', '/callbacks/secrets')).body.secrets;
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** The event of a callback, verified with the standard's library. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
const verified = ({ body, headers }: Received): any => new Webhook(secrets[0] ?? '').verify(body, headers);

async function startWith(callbackUrl: string, message = 'Go.', headers = {}) {
  return world.api('POST', '/sessions', { agent: 'worker', message, callbackUrl }, headers);
}

describe('from a webhook to a callback', () => {
  test('a Stripe-signed event starts a run, and its end comes back signed, again after a 500', async () => {
    await using receiver = await startReceiver((n) => (n === 1 ? 500 : 204));
    const object = { id: 'in_1', metadata: { callback: receiver.url } };
    const event = { id: 'evt_1', type: 'invoice.paid', data: { object } };
    const payload = JSON.stringify(event);
    const secret = webhookSecrets.STRIPE_WEBHOOK_SECRET;
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
    const send = (body = payload, header = signature) =>
      world.api('POST', '/hooks/stripe', body, { 'stripe-signature': header });

    const accepted = await send();
    expect(accepted).toMatchObject({ status: 202, body: { duplicate: false } });
    const { sessionId } = accepted.body;
    const [first, second] = await receiver.atLeast(2);
    expect(first?.body).toBe(second?.body);
    expect(first?.id).toBe(second?.id);
    expect(verified(second as Received)).toMatchObject({
      type: 'session.ended',
      data: { sessionId, agent: 'worker', state: 'completed', lastMessage: expect.stringMatching(/^Answer/) },
    });

    expect(await send()).toMatchObject({ status: 200, body: { sessionId, duplicate: true } });
    expect(await send(`${payload} `)).toMatchObject({ status: 401 });
    const changed = JSON.stringify({ ...event, data: { object: { ...object, id: 'in_2' } } });
    const again = Stripe.webhooks.generateTestHeaderString({ payload: changed, secret });
    expect(await send(changed, again)).toMatchObject({ status: 200, body: { conflict: true } });
    await pause(500);
    expect(await world.session(sessionId)).toMatchObject({ slots: 1 });
    expect(receiver.received).toHaveLength(2);
  });

  test('a Standard Webhooks event wakes a session of the tenant that its source is declared for', async () => {
    const payload = JSON.stringify({ key: 'k1', say: 'Hello.' });
    const [, rotated = ''] = webhookSecrets.STANDARD_WEBHOOK_SECRET.split(' ');
    const at = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(rotated).sign('msg_1', at, payload),
    };
    const accepted = await world.api('POST', '/hooks/standard', payload, headers);
    expect(accepted).toMatchObject({ status: 202 });
    expect(await world.api('GET', `/sessions/${accepted.body.sessionId}`)).toMatchObject({ status: 404 });
    expect(await world.api('POST', '/hooks/standard', payload, headers)).toMatchObject({ status: 200 });
  });

  describe('from GitHub', () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (body: string, headers = {}, name = 'issues') =>
      world.api('POST', '/hooks/github', body, {
        'x-hub-signature-256': `sha256=${createHmac('sha256', world.webhookSecret).update(body).digest('hex')}`,
        'x-github-event': name,
        'x-github-delivery': randomUUID(),
        ...headers,
      });
    const opened = (number: number, title: string, more = {}) =>
      JSON.stringify({ action: 'opened', issue: { number, title }, ...more });

    test('a form is parsed, with the signature over its bytes', async () => {
      const title = 'A+B = "1 & 2" ☕';
      const body = new URLSearchParams({ payload: opened(1, title) }).toString();
      const { status, body: answer } = await send(body, form);
      expect(status).toBe(202);
      await world.atRest(answer.sessionId);
      expect((await world.messages(answer.sessionId))[0]).toMatchObject({ content: title });
      expect(await send(body.replaceAll('+', '%20'), { ...form, ...signatureOf(body) })).toMatchObject({
        status: 401,
      });
    });

    test('five megabytes are accepted, both of mapped and of ignored events', async () => {
      const large = { diff: 'y'.repeat(5 * 1024 * 1024) };
      expect(await send(opened(2, 'large', large))).toMatchObject({ status: 202 });
      const push = await send(JSON.stringify(large), {}, 'push');
      expect(push).toMatchObject({ status: 200, body: { ignored: 'push' } });
      const asForm = new URLSearchParams({ payload: opened(3, 'l', { diff: 'y'.repeat(4 * 1024 * 1024) }) });
      expect(await send(asForm.toString(), form)).toMatchObject({ status: 202 });
      // The gateway refuses what does not fit into an invocation.
      expect(await send(opened(4, 'x', { diff: 'y'.repeat(6.5 * 1024 * 1024) }))).toMatchObject({
        status: 413,
      });
    });

    test('a long message is cut for the model, which is told so', async () => {
      const { body } = await send(opened(5, 'z'.repeat(300_000)));
      await world.atRest(body.sessionId);
      const [said] = await world.messages(body.sessionId);
      expect(said?.content).toHaveLength(100_000);
      expect(said?.content).toContain('[cut: the whole has 300000 characters]');
    });

    const signatureOf = (body: string) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', world.webhookSecret).update(body).digest('hex')}`,
    });
  });

  test('a source whose secret was not set accepts nothing', async () => {
    expect(await world.api('POST', '/hooks/unset', '{}', { 'x-signature': '' })).toMatchObject({
      status: 401,
    });
  });
});

describe('callbacks', () => {
  test('come in order, one per run, although the receiver is down for a while at first', async () => {
    await using receiver = await startReceiver((n) => (n === 1 ? 503 : 200));
    const { status, body } = await startWith(receiver.url);
    expect(status).toBe(201);
    await world.atRest(body.sessionId);
    await receiver.atLeast(1);
    await world.api('POST', `/sessions/${body.sessionId}/messages`, { message: 'And again.' });
    const received = await receiver.atLeast(3);
    const events = received.map(verified);
    expect(events.map(({ data }) => data.runId)).toEqual([
      `${body.sessionId}-0`,
      `${body.sessionId}-0`,
      `${body.sessionId}-1`,
    ]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(2);
    await expect
      .poll(async () => (await world.session(body.sessionId)).callback)
      .toEqual({
        url: receiver.url,
        state: 'active',
        attempts: 0,
        lastStatus: 200,
      });
  });

  test('410 disables it, and it gets no more of its events', async () => {
    await using receiver = await startReceiver(() => 410);
    const { body } = await startWith(receiver.url);
    await receiver.atLeast(1);
    await expect
      .poll(async () => (await world.session(body.sessionId)).callback)
      .toMatchObject({ state: 'disabled', lastStatus: 410 });
    await world.atRest(body.sessionId);
    await world.api('POST', `/sessions/${body.sessionId}/messages`, { message: 'And again.' });
    await expect.poll(async () => (await world.session(body.sessionId)).slots).toBe(2);
    await pause(1_000);
    expect(receiver.received).toHaveLength(1);
  });

  test('one that was disabled is tried at once if a person asks for it', async () => {
    await using receiver = await startReceiver((n) => (n === 1 ? 410 : 200));
    const { body } = await startWith(receiver.url);
    const path = `/sessions/${body.sessionId}/callback/try`;
    await expect
      .poll(async () => (await world.session(body.sessionId)).callback)
      .toMatchObject({ state: 'disabled' });
    expect(await world.api('POST', path)).toMatchObject({
      status: 202,
      body: { url: receiver.url, state: 'active', lastStatus: 410 },
    });
    const [first, second] = await receiver.atLeast(2);
    expect(second?.id).toBe(first?.id);
    await expect
      .poll(async () => (await world.session(body.sessionId)).callback)
      .toMatchObject({ state: 'active', attempts: 0, lastStatus: 200 });
    const without = await world.api('POST', '/sessions', { agent: 'worker', message: 'Go.' });
    expect(await world.api('POST', `/sessions/${without.body.sessionId}/callback/try`)).toMatchObject({
      status: 404,
      body: { title: 'No callback' },
    });
  });

  test('a redirect, to the metadata service or elsewhere, is a failure and not followed', async () => {
    await using target = await startReceiver(() => 200);
    for (const location of ['http://169.254.169.254/latest/meta-data/', target.url]) {
      await using receiver = await startReceiver(() => location);
      const { body } = await startWith(receiver.url);
      await receiver.atLeast(1);
      await expect
        .poll(async () => (await world.session(body.sessionId)).callback)
        .toMatchObject({ state: 'active', attempts: 1, lastStatus: 307, nextAt: expect.any(String) });
    }
    expect(target.received).toHaveLength(0);
  });

  test('never delay a run: if the receiver does not answer, the run still ends', async () => {
    const { body } = await startWith('http://127.0.0.1:9/absent');
    expect(await world.atRest(body.sessionId)).toMatchObject({ state: 'completed' });
    await expect
      .poll(async () => (await world.session(body.sessionId)).callback)
      .toMatchObject({ attempts: 1, lastStatus: 'ECONNREFUSED' });
  });

  test.each([
    'http://example.com/',
    'https://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'https://[::ffff:169.254.169.254]/',
    'https://metadata.google.internal/',
    'not a url',
  ])('cannot go to %s', async (url) => {
    expect(await startWith(url)).toMatchObject({
      status: 400,
      body: { title: 'Invalid body', errors: [{ path: 'callbackUrl' }] },
    });
  });

  test('an Idempotency-Key is bound to one callback URL', async () => {
    await using receiver = await startReceiver(() => 200);
    const key = { 'idempotency-key': 'k-callback' };
    const first = await startWith(receiver.url, 'Go.', key);
    expect(await startWith(receiver.url, 'Go.', key)).toMatchObject({
      status: 201,
      body: { duplicate: true },
    });
    expect(await startWith(`${receiver.url}/other`, 'Go.', key)).toMatchObject({ status: 422 });
    const without = await world.api('POST', '/sessions', { agent: 'worker', message: 'Go.' }, key);
    expect(without).toMatchObject({ status: 422 });
    await world.atRest(first.body.sessionId);
  });

  test('a session without one has none', async () => {
    const id = await world.start('Go.');
    expect(await world.atRest(id)).not.toHaveProperty('callback');
  });
});
