/** What is used of Stripe's package, in one module: a dynamic import of the package itself would keep all of it. */

import Stripe from 'stripe';

export const SignatureError: typeof Stripe.errors.StripeSignatureVerificationError =
  Stripe.errors.StripeSignatureVerificationError;

const { signature } = Stripe.webhooks;

/** Throws {@link SignatureError} when no `v1` signature of the header is good, or it is older than `tolerance` seconds. */
export function verifyHeader(
  body: Buffer,
  header: string,
  secret: string,
  tolerance: number,
  receivedAt: number,
): boolean {
  if (!signature) throw new Error('this version of stripe cannot verify signatures');
  return signature.verifyHeader(body, header, secret, tolerance, undefined, receivedAt);
}
