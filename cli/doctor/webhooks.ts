/** Sends each webhook of a deployment deliveries that begin nothing: one without a signature, and a signed one that is not JSON. */

import { createHmac } from 'node:crypto';
import type { WebhookSource } from '../../shared/agent/define/index.ts';
import { type Finding, ok, wrong } from './finding.ts';

type Webhooks = Readonly<Record<string, Pick<WebhookSource, 'verify'>>>;

/** The body of both: no mapping is asked about text that is no JSON. */
const BODY = 'steploop doctor';

/**
 * @param secrets the values that this machine knows, by name: only a webhook whose secret has one gets a signed delivery
 */
export const webhooksOf = (
  webhooks: Webhooks,
  httpUrl: string,
  secrets: Readonly<Record<string, string>>,
): Promise<Finding[]> =>
  Promise.all(
    Object.entries(webhooks).map(async ([name, { verify }]) => {
      const of = `webhook ${name}`;
      const send = async (headers: Readonly<Record<string, string>>): Promise<number> => {
        const typed = { 'content-type': 'application/json', ...headers };
        const request = { method: 'POST', headers: typed, body: BODY, signal: AbortSignal.timeout(15_000) };
        return (await fetch(`${httpUrl}/hooks/${name}`, request)).status;
      };
      const bare = await send({});
      if (bare === 404) return wrong(of, 'The deployment does not have it.', 'Deploy the definition again.');
      if (bare >= 500)
        return wrong(of, `It fails with ${bare}.`, 'Read the log of the function hooks: docs/operating.md.');
      if (bare < 400)
        return wrong(
          of,
          `It took a delivery without a signature (${bare}).`,
          'Deploy again: every webhook verifies.',
        );
      const signed = headersFor(verify, verify.secret && secrets[verify.secret]);
      if (!signed) return ok(of, 'It refuses a delivery without a signature. A signed one was not sent.');
      const status = await send(signed);
      if (status === 401)
        return wrong(
          of,
          `It refuses what is signed with ${verify.secret} of this machine.`,
          `Give the deployment and the sender the same ${verify.secret}.`,
        );
      return ok(
        of,
        `It refuses a delivery without a signature, and knows one that is signed with ${verify.secret}.`,
      );
    }),
  );

/** Headers of a delivery that was sent now. Undefined without a value of the secret, and for forms that are not known here. */
export function headersFor(
  verify: WebhookSource['verify'],
  secret: string | undefined,
): Readonly<Record<string, string>> | undefined {
  if (!secret) return undefined;
  const now = String(Math.floor(Date.now() / 1_000));
  const mac = (key: string | Buffer, text: string, form: 'hex' | 'base64') =>
    createHmac('sha256', key).update(text).digest(form);
  switch (verify.kind) {
    case 'github':
      return {
        'x-github-event': 'ping',
        'x-github-delivery': crypto.randomUUID(),
        'x-hub-signature-256': `sha256=${mac(secret, BODY, 'hex')}`,
      };
    case 'stripe':
      return { 'stripe-signature': `t=${now},v1=${mac(secret, `${now}.${BODY}`, 'hex')}` };
    case 'standard': {
      if (!secret.startsWith('whsec_')) return undefined;
      const id = `msg_${crypto.randomUUID()}`;
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signature = `v1,${mac(key, `${id}.${now}.${BODY}`, 'base64')}`;
      return { 'webhook-id': id, 'webhook-timestamp': now, 'webhook-signature': signature };
    }
    case 'hmac': {
      const { header, algorithm, encoding, prefix, timestamp, idHeader } = verify;
      const at = timestamp?.unit === 'ms' ? String(Date.now()) : now;
      const text = timestamp?.signed.replace('{timestamp}', () => at).replace('{body}', () => BODY) ?? BODY;
      return {
        [header]: prefix + createHmac(algorithm, secret).update(text).digest(encoding),
        ...(timestamp && { [timestamp.header]: at }),
        ...(idHeader !== undefined && { [idHeader]: crypto.randomUUID() }),
      };
    }
    case 'custom':
      return undefined;
    default:
      return verify satisfies never;
  }
}
