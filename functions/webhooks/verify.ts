import type { Verification } from '../../shared/agent/define/webhook-verify.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import type { Delivery, Request } from './delivery.ts';
import { verifyGithub } from './github.ts';
import { verifyHmac } from './hmac.ts';
import { verifyStandard } from './standard.ts';
import { verifyStripe } from './stripe.ts';

/** Verifies a delivery as its source declares. Refuses with 401 or 400. */
export async function verifyDelivery(
  request: Request,
  secrets: readonly string[],
  rule: Verification,
  isOutage: IsOutage,
): Promise<Delivery> {
  switch (rule.kind) {
    case 'github':
      return verifyGithub(request, secrets, rule);
    case 'stripe':
      return verifyStripe(request, secrets, rule);
    case 'standard':
      return verifyStandard(request, secrets, rule);
    case 'hmac':
      return verifyHmac(request, secrets, rule);
    case 'custom':
      return (await import('./custom.ts')).verifyCustom(request, secrets, rule, isOutage);
    default:
      return rule satisfies never;
  }
}
