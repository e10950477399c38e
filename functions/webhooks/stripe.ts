import { Refusal } from '../middleware/problem.ts';
import { inTime, payloadOf, TOLERANCE_MS, typeOf, type Verify, wrongSignature } from './delivery.ts';

/**
 * Verifies Stripe's deliveries with its own library, which is 240 KB of this bundle. It is in a chunk that the first Stripe
 * delivery loads (`stripe-sdk.ts`). The library refuses signatures that are too old but accepts times in the future, and a
 * tolerance of 0 would turn its check off, so that half is checked here.
 */
export const verifyStripe: Verify<unknown> = async (request, secrets) => {
  const { body, header, at } = request;
  const signature = header('stripe-signature') ?? '';
  if (!isWritten(signature)) throw wrong();
  const { verifyHeader, SignatureError } = await import('./stripe-sdk.ts');
  const isGood = (secret: string) => {
    try {
      return verifyHeader(body, signature, secret, TOLERANCE_MS / 1000, at);
    } catch (error) {
      if (error instanceof SignatureError) return false;
      throw error;
    }
  };
  if (!secrets.some(isGood)) throw wrong();
  inTime(Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1] ?? 0) * 1000, request);

  const payload = payloadOf(request);
  const id = typeof payload === 'object' && payload !== null && 'id' in payload ? payload.id : undefined;
  if (typeof id !== 'string' || id === '') {
    throw new Refusal(400, 'Malformed event', { detail: 'An event of Stripe must have an id.' });
  }
  return { name: typeOf(payload), deliveryId: id, payload, key: id };
};

const wrong = () =>
  wrongSignature('Stripe-Signature must be that of the raw body with the endpoint’s secret, and recent.');

/**
 * Whether the time and each `v1` have Stripe's format: for an empty or non-ASCII signature its library throws errors that are not
 * signature errors. Schemes other than `v1` are ignored.
 */
const isWritten = (signature: string): boolean =>
  signature
    .split(',')
    .every((part) => !/^(t|v1)(=|$)/.test(part) || /^(t=\d{1,12}|v1=[0-9a-f]{64})$/.test(part));
