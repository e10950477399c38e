import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { stripe, upstream } from '../../../agents/samples/webhooks.ts';
import { webhookSecrets } from '../../../functions/webhooks/secrets.ts';
import { defineWebhook } from '../../../shared/agent/define/webhook.ts';

const map = () => undefined;
const verify = { kind: 'github', secret: 'S' } as const;

describe('a declared source', () => {
  test('has defaults, and headers in lower case', () => {
    const hmac = {
      kind: 'hmac',
      secret: 'S',
      header: 'X-Sig',
      timestamp: { header: 'X-Time' },
    } as const;
    expect(defineWebhook({ verify: hmac, map })).toMatchObject({
      tenant: 'default',
      verify: {
        header: 'x-sig',
        algorithm: 'sha256',
        encoding: 'hex',
        prefix: '',
        sameBody: 'replay',
        timestamp: { header: 'x-time', unit: 's', signed: '{timestamp}.{body}' },
      },
    });
  });

  test.each([
    ['an unknown kind', { verify: { kind: 'paypal', secret: 'S' }, map }, 'webhook, verify.kind: Invalid'],
    ['an unknown key', { verify, map, secret: 'x' }, 'webhook, secret: there is no such key'],
    [
      'an unknown key of its verification',
      { verify: { ...verify, tolerance: 0 }, map },
      'webhook, verify.tolerance: there is no such key',
    ],
    [
      'a secret in place of its name',
      { verify: { kind: 'github', secret: 'whsec_abc' }, map },
      'webhook, verify.secret: must be a name in capitals',
    ],
    ['no mapping', { verify }, 'webhook, map: must be a function'],
    ['an invalid tenant name', { verify, map, tenant: 'a#b' }, 'webhook, tenant: use letters'],
    [
      'an unsigned time',
      {
        verify: {
          kind: 'hmac',
          secret: 'S',
          header: 'h',
          timestamp: { header: 't', signed: '{body}' },
        },
        map,
      },
      'webhook, verify.timestamp.signed: ',
    ],
    ['nothing', undefined, 'webhook, the definition: '],
  ])('is refused with %s, with a sentence', (_what, declaration, says) => {
    const made = () => defineWebhook(declaration as never);
    expect(made).toThrow(says);
    expect(made).not.toThrow('"code"');
  });

  test('with a schema, maps only payloads that fit', () => {
    const seen = vi.fn(() => ({ agent: 'a', sessionKey: 'k', message: 'm' }));
    const source = defineWebhook({ verify, payload: z.object({ n: z.number() }), map: seen });
    const event = { name: 'x', deliveryId: 'd', headers: {} };
    expect(() => source.map({ ...event, payload: { n: 'no' } })).toThrow('expected number, received string');
    expect(seen).not.toHaveBeenCalled();
    expect(source.map({ ...event, payload: { n: 1 } })).toBeDefined();
  });

  test('with events, maps no other, whatever its payload is', () => {
    const source = defineWebhook({
      verify,
      events: ['x'],
      payload: z.object({ n: z.number() }),
      map: () => ({ agent: 'a', sessionKey: 'k', message: 'm' }),
    });
    const event = { deliveryId: 'd', headers: {} };
    expect(source.map({ ...event, name: 'x', payload: { n: 1 } })).toBeDefined();
    expect(source.map({ ...event, name: 'y', payload: {} })).toBeUndefined();
  });
});

describe('the samples', () => {
  test('map their documented payloads', () => {
    const object = { id: 'in_1', customer: 'cus_1', amount_due: 1250, currency: 'eur', attempt_count: 2 };
    const failed = { id: 'evt_1', type: 'invoice.payment_failed', data: { object } };
    const event = { name: failed.type, deliveryId: 'evt_1', headers: {} };
    expect(stripe.map({ ...event, payload: failed })).toMatchObject({ sessionKey: 'stripe:cus_1' });
    expect(
      stripe.map({ ...event, name: 'invoice.paid', payload: { ...failed, type: 'invoice.paid' } }),
    ).toBeUndefined();
    const ended = {
      type: 'session.ended',
      data: { sessionId: 's1', reason: 'completed', lastMessage: 'Done.' },
    };
    expect(upstream.map({ ...event, name: ended.type, payload: ended })?.message).toContain('Done.');
  });
});

describe('secrets of sources', () => {
  const values: Record<string, string> = { own: 'one two\n three', empty: ' ' };
  const secretsOf = webhookSecrets({ get: async (id) => values[id] ?? '' }, { OWN: 'own', EMPTY: 'empty' });

  test('are those in the secret of their name', async () => {
    expect(await secretsOf('OWN')).toEqual(['one', 'two', 'three']);
  });

  test('keep the source closed if they are missing', async () => {
    for (const name of ['EMPTY', 'OTHER', 'toString', '__proto__'])
      await expect(secretsOf(name)).rejects.toThrow('is not set');
  });
});
