import { Webhook } from 'standardwebhooks';

/** The headers of a Standard Webhooks message. `at` is the time of this try, in epoch ms. */
export function signedHeaders(
  id: string,
  body: string,
  at: number,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body));
  return {
    'content-type': 'application/json',
    'user-agent': 'steploop',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
