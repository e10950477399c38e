import { createHmac, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { VerifyWebhook } from '../../../shared/agent/define/webhook-verify.ts';
import { writtenBy } from '../../support/written.ts';
import { outcome, type Sent } from './senders.fixture.ts';

const textOf = (body: Uint8Array) => Buffer.from(body).toString();

/** Twilio: the URL, and the fields of the form in the order of their names. */
const twilio: VerifyWebhook = ({ url, headers, body }, { secrets, isSame }) => {
  const fields = [...new URLSearchParams(textOf(body))].sort(([a], [b]) => (a < b ? -1 : 1));
  const signed = url + fields.flat().join('');
  return secrets.some((secret) =>
    isSame(headers['x-twilio-signature'], createHmac('sha1', secret).update(signed).digest('base64')),
  );
};

/** Square: its own URL before the body. */
const square: VerifyWebhook = ({ url, headers, body }, { secrets, isSame }) =>
  secrets.some((secret) =>
    isSame(
      headers['x-square-hmacsha256-signature'],
      createHmac('sha256', secret).update(url).update(body).digest('base64'),
    ),
  );

/** Discord: ed25519 over the time and the body; the secret is its public key in hex. */
const discord: VerifyWebhook = ({ headers, body }, { secrets }) => {
  const time = headers['x-signature-timestamp'] ?? '';
  const signature = Buffer.from(headers['x-signature-ed25519'] ?? '', 'hex');
  const isGood = secrets.some((key) => {
    const der = Buffer.from(`302a300506032b6570032100${key}`, 'hex');
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, Buffer.concat([Buffer.from(time), body]), publicKey, signature);
  });
  return isGood && { sentAt: Number(time) * 1_000 };
};

/** Several signatures in one header, as senders have it while they rotate. */
const several: VerifyWebhook = ({ headers, body }, { secrets, isSame }) => {
  const parts = (headers['x-signatures'] ?? '').split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1];
  const isGood = secrets.some((secret) => {
    const mac = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
    return parts.some(([name, value]) => name === 'v1' && isSame(value, mac));
  });
  return isGood && { sentAt: Number(time) * 1_000, id: headers['x-id'], name: headers['x-event'] };
};

const bearer: VerifyWebhook = ({ headers }, { secrets, isSame }) =>
  secrets.some((secret) => isSame(headers.authorization, `Bearer ${secret}`));

/** GitLab: the secret itself. */
const token: VerifyWebhook = ({ headers }, { secrets, isSame }) =>
  secrets.some((secret) => isSame(headers['x-gitlab-token'], secret)) && {
    id: headers['x-gitlab-event-uuid'],
    name: headers['x-gitlab-event'],
  };

const by = (verify: VerifyWebhook) => ({ kind: 'custom' as const, secret: 'S', verify });
const url = 'https://hooks.example.com/hooks/sender';
const hmac = (algorithm: string, secret: string, ...parts: string[]) =>
  createHmac(algorithm, secret).update(parts.join(''));
const seconds = (offset = 0) => String(Math.floor(Date.now() / 1_000) + offset);
const body = JSON.stringify({ type: 'paid', n: 1 });

const keys = generateKeyPairSync('ed25519');
const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
const form = 'To=%2B18005551212&From=%2B14158675309&Body=hi';

const senders: Record<string, { verify: VerifyWebhook; secret: string; sent: () => Sent; is: object }> = {
  Twilio: {
    verify: twilio,
    secret: 'hush',
    is: { payload: { From: '+14158675309', To: '+18005551212', Body: 'hi' } },
    sent: () => ({
      body: form,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'X-Twilio-Signature': hmac('sha1', 'hush', `${url}BodyhiFrom+14158675309To+18005551212`).digest(
          'base64',
        ),
      },
    }),
  },
  Square: {
    verify: square,
    secret: 'hush',
    is: { name: 'paid' },
    sent: () => ({
      body,
      headers: { 'x-square-hmacsha256-signature': hmac('sha256', 'hush', url, body).digest('base64') },
    }),
  },
  Discord: {
    verify: discord,
    secret: publicKey,
    is: { payload: JSON.parse(body) },
    sent: () => ({
      body,
      headers: {
        'x-signature-timestamp': seconds(),
        'x-signature-ed25519': sign(null, Buffer.from(seconds() + body), keys.privateKey).toString('hex'),
      },
    }),
  },
  'several signatures': {
    verify: several,
    secret: 'hush',
    is: { deliveryId: 'd1', name: 'renamed' },
    sent: () => ({
      body,
      headers: {
        'x-signatures': `t=${seconds()},v1=${'0'.repeat(64)},v1=${hmac('sha256', 'hush', `${seconds()}.`, body).digest('hex')}`,
        'x-id': 'd1',
        'x-event': 'renamed',
      },
    }),
  },
  'a bearer token': {
    verify: bearer,
    secret: 'hush',
    is: { name: 'paid' },
    sent: () => ({ body, headers: { Authorization: 'Bearer hush' } }),
  },
  'a plain token': {
    verify: token,
    secret: 'hush',
    is: { deliveryId: 'u1', name: 'Push Hook' },
    sent: () => ({
      body,
      headers: { 'x-gitlab-token': 'hush', 'x-gitlab-event-uuid': 'u1', 'x-gitlab-event': 'Push Hook' },
    }),
  },
};

describe.each(Object.entries(senders))('%s', (_name, { verify, secret, sent, is }) => {
  const other = secret === publicKey ? '0'.repeat(64) : 'else';

  test('is verified by a function', async () => {
    for (const base64 of [false, true])
      expect(await outcome(by(verify), sent(), [other, secret], { base64 })).toMatchObject(is);
  });

  test('is refused with another secret, without headers, and if its signature is cut', async () => {
    expect(await outcome(by(verify), sent(), [other])).toBe(401);
    expect(await outcome(by(verify), sent(), [])).toBe(401);
    expect(await outcome(by(verify), { ...sent(), headers: {} }, [secret])).toBe(401);
    const headers = Object.fromEntries(
      Object.entries(sent().headers).map(([name, value]) => [name, value.slice(0, -1)]),
    );
    expect(await outcome(by(verify), { ...sent(), headers }, [secret])).toBe(401);
  });
});

test("Twilio's own example has the signature that its documentation prints", async () => {
  const example =
    'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212';
  const tools = { secrets: ['12345'], isSame: (a?: string, b?: string) => a === b };
  const request = {
    method: 'POST' as const,
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    headers: { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    body: Buffer.from(example),
    at: 0,
  };
  expect(await twilio(request, tools)).toBe(true);
});

test.each([
  ['5 minutes', -301, 401],
  ['a little', -290, 'new'],
  ['the other way', 301, 401],
])('a signed time that is %s off', async (_what, offset, says) => {
  const time = seconds(offset);
  const mac = hmac('sha256', 'hush', `${time}.`, body).digest('hex');
  const sent = { body, headers: { 'x-signatures': `t=${time},v1=${mac}` } };
  const came = await outcome(by(several), sent, ['hush']);
  if (says === 401) expect(came).toBe(401);
  else expect(came).toMatchObject({ name: 'paid' });
});

describe('a function', () => {
  const sent = { body, headers: {} };
  const of = (verify: () => unknown) => outcome(by(verify as VerifyWebhook), sent, ['hush']);

  test('that throws, rejects or returns nothing refuses the request, and the log says where it threw', async () => {
    const lines = await writtenBy(async () => {
      expect(
        await of(() => {
          throw new RangeError('Input buffers must have the same byte length');
        }),
      ).toBe(401);
      expect(await of(async () => Promise.reject(new Error('up')))).toBe(401);
    });
    expect(lines).toMatchObject([{ level: 'WARN' }, { level: 'WARN' }]);
    for (const nothing of [undefined, null, false, '', 0]) expect(await of(() => nothing)).toBe(401);
  });

  test('that returns what is no delivery fails loudly, and does not let it in', async () => {
    for (const odd of [{ id: '' }, { id: 7 }, { sentAt: 'now' }, 'yes'])
      await expect(of(() => odd)).rejects.toThrow();
    expect(await of(() => ({ sentAt: Number.NaN }))).toBe(401);
  });

  test('without an id, counts deliveries with the same body as one', async () => {
    const first = await of(() => true);
    expect(await of(async () => ({}))).toEqual(first);
    expect(await of(() => ({ id: 'x' }))).toMatchObject({ key: 'x', signed: expect.any(Buffer) });
  });
});
