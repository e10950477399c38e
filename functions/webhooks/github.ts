import { verify } from '@octokit/webhooks-methods';
import type { Verification } from '../../shared/agent/define/webhook-verify.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import { missingHeaders, payloadOf, type Verify, wrongSignature } from './delivery.ts';

type Rule = Extract<Verification, { kind: 'github' }>;

/**
 * Verifies GitHub's deliveries with its own library. GitHub signs only the body: no timestamp, and not the delivery id, a UUID. A
 * redelivery has the id of the first delivery; the same body under another id is a replay. Emulators count ids from 1 at each
 * start, so there the body is part of the id.
 */
export const verifyGithub: Verify<Rule> = async (request, secrets, { sameBody }) => {
  const { body, header } = request;
  const signature = header('x-hub-signature-256');
  const text = body.toString('utf8');
  const isGood = (secret: string) => verify(secret, text, signature ?? '').catch(() => false);
  if (!signature || !(await Promise.all(secrets.map(isGood))).includes(true)) {
    throw wrongSignature(
      'X-Hub-Signature-256 must be the HMAC-SHA256 of the raw body with the webhook secret.',
    );
  }
  const name = header('x-github-event');
  const deliveryId = header('x-github-delivery');
  if (!name || !deliveryId) throw missingHeaders('Send X-GitHub-Event and X-GitHub-Delivery.');
  const key = isUuid(deliveryId) ? deliveryId.toLowerCase() : `${deliveryId} ${hash(text)}`;
  return {
    name,
    deliveryId,
    payload: payloadOf(request),
    key,
    ...(sameBody === 'replay' && { signed: body }),
  };
};

const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
