/** Re-exports the parts of Stripe's package that are used, because a dynamic import of the package itself would bundle all of it. */

import Stripe from 'stripe';

export const SignatureError: typeof Stripe.errors.StripeSignatureVerificationError =
  Stripe.errors.StripeSignatureVerificationError;

const { signature } = Stripe.webhooks;

/** Throws {@link SignatureError} if the header has no valid `v1` signature, or if it is older than `tolerance` seconds. */
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
