import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Verification } from '../../shared/agent/define/webhook-verify.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import {
  inTime,
  missingHeaders,
  payloadOf,
  type Request,
  typeOf,
  type Verify,
  wrongSignature,
} from './delivery.ts';

type Rule = Extract<Verification, { kind: 'hmac' }>;

/** Verifies any sender that signs its body with an HMAC, as its rule describes it. */
export const verifyHmac: Verify<Rule> = async (request, secrets, rule) => {
  const { body, header } = request;
  const sent = digestIn(header(rule.header) ?? '', rule);
  const timestamp = rule.timestamp && header(rule.timestamp.header);
  if (sent && rule.timestamp && !timestamp) throw missingHeaders(`Send ${rule.timestamp.header}.`);
  const content = contentOf(body, timestamp, rule);
  const isGood = (secret: string) => {
    const digest = createHmac(rule.algorithm, secret).update(content).digest();
    return sent?.length === digest.length && timingSafeEqual(sent, digest);
  };
  if (!secrets.some(isGood)) {
    throw wrongSignature(
      `${rule.header} must be the HMAC-${rule.algorithm} with the webhook secret, in ${rule.encoding}.`,
    );
  }
  if (rule.timestamp) inTime(momentOf(timestamp, rule.timestamp.unit), request);

  const id = rule.idHeader ? header(rule.idHeader) : hash(body.toString('base64'));
  if (!id) throw missingHeaders(`Send ${rule.idHeader}.`);
  const payload = payloadOf(request);
  const name = (rule.nameHeader && header(rule.nameHeader)) ?? typeOf(payload);
  const isOnce = rule.idHeader !== undefined && rule.sameBody === 'replay';
  return { name, deliveryId: id, payload, key: id, ...(isOnce && { signed: content }) };
};

/** The bytes of a signature; undefined if it is not in the rule's format. */
function digestIn(text: string, { prefix, encoding }: Rule): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const written = text.slice(prefix.length);
  const bytes = Buffer.from(written, encoding);
  // Buffer skips characters that it cannot decode, so the result is compared with the text.
  const again = bytes.toString(encoding);
  return again === (encoding === 'hex' ? written.toLowerCase() : written) ? bytes : undefined;
}

/** The signed content: the body, or the rule's template of body and timestamp. */
function contentOf(body: Request['body'], sentAt: string | undefined, { timestamp }: Rule): Buffer {
  if (!timestamp) return body;
  const [before = '', after = ''] = timestamp.signed
    .replace('{timestamp}', () => sentAt ?? '')
    .split('{body}');
  return Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);
}

const momentOf = (text: string | undefined, unit: 's' | 'ms'): number =>
  /^\d{1,15}$/.test(text ?? '') ? Number(text) * (unit === 's' ? 1000 : 1) : Number.NEGATIVE_INFINITY;
