import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { sign as signGithub } from '@octokit/webhooks-methods';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { outcome, type Sent } from './senders.fixture.ts';

const body = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', note: 'naïve ☕ \\u2028' });
const seconds = (offset = 0) => Math.floor(Date.now() / 1000) + offset;

interface Case {
  readonly verify: Parameters<typeof outcome>[0];
  readonly secret: string;
  readonly other: string;
  /** Signed by the sender's own library if there is one. `at` is in seconds. */
  readonly send: (body: string | Buffer, secret: string, at?: number) => Promise<Sent> | Sent;
  readonly signature: string;
  readonly timed: boolean;
  readonly delivery: object;
}

const newKeys = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { name: `whpk_${raw.toString('base64')}`, privateKey };
};
const [mine, theirs] = [newKeys(), newKeys()];
const keyOf = (name: string) => (name === mine.name ? mine : theirs).privateKey;

const cases: Record<string, Case> = {
  github: {
    verify: { kind: 'github', secret: 'S' },
    secret: 'hush',
    other: 'else',
    timed: false,
    signature: 'x-hub-signature-256',
    delivery: { name: 'issues', deliveryId: '7B0E4F60-0000-11EE-8000-0123456789AB' },
    async send(body, secret) {
      const signature = await signGithub(secret, body.toString());
      return {
        body,
        headers: {
          'X-Hub-Signature-256': signature,
          'x-github-event': 'issues',
          'x-github-delivery': '7B0E4F60-0000-11EE-8000-0123456789AB',
        },
      };
    },
  },
  stripe: {
    verify: { kind: 'stripe', secret: 'S' },
    secret: 'whsec_stripe',
    other: 'whsec_other',
    timed: true,
    signature: 'stripe-signature',
    delivery: { name: 'invoice.paid', deliveryId: 'evt_1' },
    send(body, secret, at = seconds()) {
      const header = Stripe.webhooks.generateTestHeaderString({
        payload: body.toString(),
        secret,
        timestamp: at,
      });
      return { body, headers: { 'Stripe-Signature': header } };
    },
  },
  'standard v1': {
    verify: { kind: 'standard', secret: 'S' },
    secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
    other: `whsec_${Buffer.alloc(24, 2).toString('base64')}`,
    timed: true,
    signature: 'webhook-signature',
    delivery: { name: 'invoice.paid', deliveryId: 'msg_1' },
    send: (body, secret, at = seconds()) => ({
      body,
      headers: {
        'Webhook-Id': 'msg_1',
        'webhook-timestamp': String(at),
        'webhook-signature': new Webhook(secret).sign('msg_1', new Date(at * 1000), body.toString()),
      },
    }),
  },
  'standard v1, with the headers of Svix': {
    verify: { kind: 'standard', secret: 'S' },
    secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
    other: `whsec_${Buffer.alloc(24, 2).toString('base64')}`,
    timed: true,
    signature: 'svix-signature',
    delivery: { name: 'invoice.paid', deliveryId: 'msg_1' },
    send: (body, secret, at = seconds()) => ({
      body,
      headers: {
        'Svix-Id': 'msg_1',
        'svix-timestamp': String(at),
        'svix-signature': new Webhook(secret).sign('msg_1', new Date(at * 1000), body.toString()),
      },
    }),
  },
  'standard v1a': {
    verify: { kind: 'standard', secret: 'S' },
    secret: mine.name,
    other: theirs.name,
    timed: true,
    signature: 'webhook-signature',
    delivery: { name: 'invoice.paid', deliveryId: 'msg_1' },
    send(body, secret, at = seconds()) {
      const content = Buffer.concat([Buffer.from(`msg_1.${at}.`), Buffer.from(body)]);
      const signature = signBytes(null, content, keyOf(secret)).toString('base64');
      return {
        body,
        headers: {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(at),
          'webhook-signature': `v1,AAAA v1a,${signature}`,
        },
      };
    },
  },
  hmac: {
    verify: { kind: 'hmac', secret: 'S', header: 'X-Signature', prefix: 'sha256=', idHeader: 'X-Id' },
    secret: 'hush',
    other: 'else',
    timed: false,
    signature: 'x-signature',
    delivery: { name: 'invoice.paid', deliveryId: 'd1' },
    send: (body, secret) => ({
      body,
      headers: {
        'x-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        'x-id': 'd1',
      },
    }),
  },
  'hmac with a time, as Slack signs': {
    verify: {
      kind: 'hmac',
      secret: 'S',
      header: 'x-slack-signature',
      prefix: 'v0=',
      timestamp: { header: 'x-slack-request-timestamp', signed: 'v0:{timestamp}:{body}' },
      nameHeader: 'x-name',
    },
    secret: 'hush',
    other: 'else',
    timed: true,
    signature: 'x-slack-signature',
    delivery: { name: 'named' },
    send: (body, secret, at = seconds()) => ({
      body,
      headers: {
        'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${at}:`).update(body).digest('hex')}`,
        'x-slack-request-timestamp': String(at),
        'x-name': 'named',
      },
    }),
  },
  'hmac in base64': {
    verify: { kind: 'hmac', secret: 'S', header: 'x-mac', algorithm: 'sha512', encoding: 'base64' },
    secret: 'hush',
    other: 'else',
    timed: false,
    signature: 'x-mac',
    delivery: { name: 'invoice.paid' },
    send: (body, secret) => ({
      body,
      headers: { 'x-mac': createHmac('sha512', secret).update(body).digest('base64') },
    }),
  },
};

/** Parts that such headers are made of, whole and cut, with parts that no sender writes between them. */
const brokenFrom = (good: string): fc.Arbitrary<string> => {
  const parts = [
    't=',
    't',
    'v1=',
    'v1',
    'v1,',
    'v1a,',
    'v0=',
    'sha256=',
    ',',
    '=',
    ' ',
    '1',
    'NaN',
    '-1',
    'AAAA',
    'é',
  ];
  const digest = fc.constantFrom('a'.repeat(64), 'é'.repeat(64), 'é'.repeat(32), '\u{1f600}'.repeat(32));
  const cut = fc.nat({ max: good.length - 1 }).map((end) => good.slice(0, end));
  const part = fc.oneof(fc.constantFrom(...parts), digest, cut, fc.string({ maxLength: 8 }));
  const written = fc.array(part, { maxLength: 8 }).map((all) => all.join(''));
  return written.filter((text) => !text.includes(good));
};

test('Standard Webhooks: headers of the two prefixes are not mixed', async () => {
  const { verify, secret, send } = cases['standard v1, with the headers of Svix'] as Case;
  const { headers } = await send(body, secret);
  const mixed = {
    ...headers,
    'webhook-signature': 'v1,AAAA',
    'webhook-id': 'msg_2',
    'webhook-timestamp': '1',
  };
  expect(await outcome(verify, { body, headers: mixed }, [secret])).toBe(401);
  const { 'Svix-Id': _id, ...rest } = headers;
  expect(await outcome(verify, { body, headers: { ...rest, 'webhook-id': 'msg_1' } }, [secret])).toBe(400);
});

test('Stripe: an empty v1, or one that is not hex, is no signature', async () => {
  const { verify, secret, send } = cases.stripe as Case;
  const sent = await send(body, secret);
  const refused = (header: string) =>
    outcome(verify, { ...sent, headers: { 'stripe-signature': header } }, [secret]);
  for (const header of ['t=1,v1=', 't=1,v1', `t=1,v1=${'é'.repeat(64)}`, 't=,v1=00', 't=1'])
    expect(await refused(header)).toBe(401);
});

describe.each(Object.entries(cases))(
  '%s',
  (_name, { verify, secret, other, send, signature, timed, delivery }) => {
    const withSignature = ({ body, headers }: Sent, change: (text: string) => string): Sent => ({
      body,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          name.toLowerCase() === signature ? change(value) : value,
        ]),
      ),
    });

    test('accepts what the sender signed', async () => {
      expect(await outcome(verify, await send(body, secret), [secret])).toMatchObject({
        ...delivery,
        payload: JSON.parse(body),
      });
    });

    test('accepts a body that comes as base64, by its bytes', async () => {
      const sent = await send(body, secret);
      expect(await outcome(verify, sent, [secret], { base64: true })).toMatchObject(delivery);
    });

    test('refuses bytes that a library would decode to the signed text', async () => {
      const bytes = Buffer.concat([
        Buffer.from('{"id":"evt_1","a":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}'),
      ]);
      const sent = await send(Buffer.from(bytes.toString()), secret);
      expect(await outcome(verify, { ...sent, body: bytes }, [secret])).toBe(400);
      const marked = {
        ...(await send(body, secret)),
        body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]),
      };
      expect(await outcome(verify, marked, [secret])).toBe(400);
    });

    test.each([
      ['one more byte', `${body} `],
      ['one byte less', body.slice(0, -1)],
      ['another one', body.replace('evt_1', 'evt_2')],
      ['none', ''],
    ])('refuses a body with %s', async (_what, tampered) => {
      const sent = await send(body, secret);
      expect(await outcome(verify, { ...sent, body: tampered }, [secret])).toBe(401);
    });

    test('refuses another secret, and accepts any of several', async () => {
      const sent = await send(body, secret);
      expect(await outcome(verify, sent, [other])).toBe(401);
      expect(await outcome(verify, sent, [other, secret])).toMatchObject(delivery);
      expect(await outcome(verify, sent, [secret, other])).toMatchObject(delivery);
      expect(await outcome(verify, sent, [])).toBe(401);
    });

    test.each<[string, (text: string) => string]>([
      ['empty', () => ''],
      ['cut', (text) => text.slice(0, -4)],
      ['longer', (text) => `${text}AAAA`],
      ['not in the right format', (text) => `${text.slice(0, -3)}!!!`],
      [
        'of another scheme',
        (text) =>
          text
            .replaceAll(/v1a?([,=])/g, 'v9$1')
            .replace(/^(sha256|v0)=/, 'md5=')
            .replace(/^([\w+/]+)==$/, '$1'),
      ],
    ])('refuses a signature that is %s', async (_what, change) => {
      const sent = await send(body, secret);
      expect(await outcome(verify, withSignature(sent, change), [secret])).toBe(401);
    });

    test('refuses with 401 whatever else is in the header of the signature', async () => {
      const sent = await send(body, secret);
      const good = Object.entries(sent.headers).find(([name]) => name.toLowerCase() === signature)?.[1] ?? '';
      await fc.assert(
        fc.asyncProperty(brokenFrom(good), async (broken) => {
          expect(
            await outcome(
              verify,
              withSignature(sent, () => broken),
              [secret],
            ),
          ).toBe(401);
        }),
        { numRuns: 200 },
      );
    });

    test('refuses a delivery without a signature', async () => {
      const sent = await send(body, secret);
      const headers = Object.fromEntries(
        Object.entries(sent.headers).filter(([name]) => name.toLowerCase() !== signature),
      );
      expect(await outcome(verify, { ...sent, headers }, [secret])).toBe(401);
    });

    test.runIf(timed)('refuses a signature of more than 300 s ago, or ahead', async () => {
      for (const offset of [-3600, -310, 310, 3600])
        expect(await outcome(verify, await send(body, secret, seconds(offset)), [secret])).toBe(401);
      for (const offset of [-290, 290])
        expect(await outcome(verify, await send(body, secret, seconds(offset)), [secret])).toMatchObject(
          delivery,
        );
    });

    test.runIf(timed)('refuses a changed time', async () => {
      const sent = await send(body, secret, seconds(-3600));
      const headers = Object.fromEntries(
        Object.entries(sent.headers).map(([name, value]) => [
          name,
          value.replace(String(seconds(-3600)), String(seconds())),
        ]),
      );
      expect(await outcome(verify, { ...sent, headers }, [secret])).toBe(401);
    });

    test('without its signature is refused with 401, and without another header that it needs with 400', async () => {
      const sent = await send(body, secret);
      // That header names the event if its payload does not.
      for (const name of Object.keys(sent.headers).filter((one) => one !== 'x-name')) {
        const { [name]: _missing, ...headers } = sent.headers;
        const status = name.toLowerCase() === signature ? 401 : 400;
        expect([name, await outcome(verify, { ...sent, headers }, [secret])]).toEqual([name, status]);
      }
    });

    test('refuses signed content that is not JSON', async () => {
      expect(await outcome(verify, await send('payload=1', secret), [secret])).toBe(400);
    });
  },
);

describe('the identity of a delivery', () => {
  const keyFor = async (verify: Case['verify'], sent: Sent, secret: string) => {
    const delivery = await outcome(verify, sent, [secret]);
    if (typeof delivery === 'number') throw new Error(`refused: ${delivery}`);
    return delivery.key;
  };

  test('GitHub: its id; that of an emulator, which counts from 1 again, with the body', async () => {
    const { verify, secret, send } = cases.github as Case;
    const count = async (id: string, text: string) => {
      const sent = await send(text, secret);
      return keyFor(verify, { ...sent, headers: { ...sent.headers, 'x-github-delivery': id } }, secret);
    };
    const uuid = '7b0e4f60-0000-11ee-8000-0123456789ab';
    expect(await count(uuid, '{"a":1}')).toBe(await count(uuid.toUpperCase(), '{"a":2}'));
    expect(await count('1', '{"a":1}')).not.toBe(await count('1', '{"a":2}'));
    expect(await count('1', '{"a":1}')).toBe(await count('1', '{"a":1}'));
  });

  test('Stripe: the event’s id, which must be there', async () => {
    const { verify, secret, send } = cases.stripe as Case;
    expect(await keyFor(verify, await send(body, secret), secret)).toBe('evt_1');
    expect(await outcome(verify, await send('{"type":"x"}', secret), [secret])).toBe(400);
    expect(await outcome(verify, await send('null', secret), [secret])).toBe(400);
  });

  test('HMAC without ids: the body', async () => {
    const { verify, secret, send } = cases['hmac in base64'] as Case;
    const key = async (text: string) => keyFor(verify, await send(text, secret), secret);
    expect(await key('{"a":1}')).toBe(await key('{"a":1}'));
    expect(await key('{"a":1}')).not.toBe(await key('{"a":2}'));
  });

  test('HMAC with ids refuses a delivery without one', async () => {
    const { verify, secret, send } = cases.hmac as Case;
    const sent = await send(body, secret);
    const headers = { 'x-signature': sent.headers['x-signature'] ?? '' };
    expect(await outcome(verify, { ...sent, headers }, [secret])).toBe(400);
  });
});

test.each(Object.entries(cases))(
  '%s: a body of megabytes is accepted',
  async (_kind, { verify, secret, send }) => {
    const large = JSON.stringify({ id: 'x', text: 'y'.repeat(5 * 1024 * 1024) });
    expect(await outcome(verify, await send(large, secret), [secret])).toMatchObject({
      payload: { id: 'x' },
    });
  },
);

describe('a form', () => {
  const form = 'application/x-www-form-urlencoded';
  /** The result of a form that this sender has signed byte for byte. */
  const brings = async (kind: string, text: string, contentType = form) => {
    const { verify, secret, send } = cases[kind] as Case;
    const sent = await send(text, secret);
    const headers = { ...sent.headers, 'Content-Type': contentType };
    // API Gateway passes a form on as base64.
    const found = await outcome(verify, { ...sent, headers }, [secret], { base64: true });
    return typeof found === 'number' ? found : found.payload;
  };
  const said = { action: 'opened', issue: { title: 'A+B = "1 & 2" ☕' } };
  const asGithubDoes = `payload=${encodeURIComponent(JSON.stringify(said)).replaceAll('%20', '+')}`;

  test('of GitHub is the JSON in its one field', async () => {
    expect(await brings('github', asGithubDoes)).toEqual(said);
    expect(await brings('github', asGithubDoes, `${form.toUpperCase()}; charset=utf-8`)).toEqual(said);
  });

  test('that was re-encoded on its way, with the same content, is not signed', async () => {
    const { verify, secret, send } = cases.github as Case;
    const sent = await send(asGithubDoes, secret);
    const headers = { ...sent.headers, 'content-type': form };
    const body = asGithubDoes.replaceAll('+', '%20');
    expect(await outcome(verify, { body, headers }, [secret])).toBe(401);
  });

  test('of others is an object of its fields', async () => {
    const slash = 'command=%2Fweather&text=94070+now&user=a&user=b&__proto__=x';
    expect(await brings('hmac', slash)).toEqual(
      Object.fromEntries([
        ['command', '/weather'],
        ['text', '94070 now'],
        ['user', ['a', 'b']],
        ['__proto__', 'x'],
      ]),
    );
    expect(await brings('hmac', 'payload=%7B%22type%22%3A%22block_actions%22%7D')).toEqual({
      type: 'block_actions',
    });
    expect(await brings('hmac', 'payload=no+JSON')).toEqual({ payload: 'no JSON' });
  });

  test('must be declared as one; JSON may be declared as a form', async () => {
    expect(await brings('hmac', 'a=1', 'application/json')).toBe(400);
    expect(await brings('hmac', 'a=1', 'text/plain')).toBe(400);
    expect(await brings('hmac', '{"a":1}')).toEqual({ a: 1 });
    expect(await brings('hmac', '')).toBe(400);
  });
});
