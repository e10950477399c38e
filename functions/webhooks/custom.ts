import * as z from 'zod';
import type { Verification } from '../../shared/agent/define/webhook-verify.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import { log, whereFrom } from '../../shared/logger.ts';
import { type Delivery, inTime, payloadOf, type Request, typeOf, wrongSignature } from './delivery.ts';
import { toolsWith } from './verify-tools.ts';

type Rule = Extract<Verification, { kind: 'custom' }>;

/** Facts of a delivery, as a function may return them. */
const Verified = z.object({
  id: z.string().min(1).max(512).optional(),
  name: z.string().max(256).optional(),
  // NaN is what a header without digits becomes: it is no recent time.
  sentAt: z.number().or(z.nan()).optional(),
});

/**
 * Verifies a delivery with the function of its source. It is user code: a request is refused with 401 if it throws, since a forged
 * signature of another length makes comparisons throw.
 */
export async function verifyCustom(
  request: Request,
  secrets: readonly string[],
  rule: Rule,
  isOutage: IsOutage,
): Promise<Delivery> {
  const { body } = request;
  const verdict = await verdictOf(request, secrets, rule, isOutage);
  if (!verdict) throw wrongSignature("The source's function does not accept this request.");
  const { id, name, sentAt } = Verified.parse(verdict === true ? {} : verdict);
  if (sentAt !== undefined) inTime(sentAt, request);
  const payload = payloadOf(request);
  const deliveryId = id ?? hash(`${sentAt ?? ''} ${body.toString('base64')}`);
  const signed = Buffer.concat([Buffer.from(`${sentAt ?? ''} `), body]);
  return {
    name: name ?? typeOf(payload),
    deliveryId,
    payload,
    key: deliveryId,
    ...(id !== undefined && rule.sameBody === 'replay' && { signed }),
  };
}

async function verdictOf(
  { method, url, headers, body, at }: Request,
  secrets: readonly string[],
  { verify }: Rule,
  isOutage: IsOutage,
) {
  try {
    return await verify({ method, url, headers, body, at }, toolsWith(secrets));
  } catch (error) {
    // A function that reads a certificate or a key may meet an outage, which the sender's retry outlasts.
    if (isOutage(error)) throw error;
    log('warn', 'the verify function of a webhook threw; the request is refused', whereFrom(error));
    return undefined;
  }
}
