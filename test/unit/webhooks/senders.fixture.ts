import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Delivery, requestOf } from '../../../functions/webhooks/delivery.ts';
import { verifyDelivery } from '../../../functions/webhooks/verify.ts';
import { defineWebhook, type WebhookDeclaration } from '../../../shared/agent/define/webhook.ts';
import type { Verification } from '../../../shared/agent/define/webhook-verify.ts';

/** A delivery on its way. */
export interface Sent {
  readonly body: string | Buffer;
  readonly headers: Record<string, string>;
}

/** The event that API Gateway makes of it: content other than text comes as base64. */
export function eventOf({ body, headers }: Sent, base64 = false): APIGatewayProxyEventV2 {
  const bytes = Buffer.from(body);
  const isBase64Encoded = base64 || !Buffer.from(bytes.toString()).equals(bytes);
  const text = isBase64Encoded ? bytes.toString('base64') : bytes.toString();
  const requestContext = { domainName: 'hooks.example.com', http: { method: 'POST' } };
  const at = { rawPath: '/hooks/sender', rawQueryString: '' };
  return { ...at, headers, body: text, isBase64Encoded, requestContext } as unknown as APIGatewayProxyEventV2;
}

/** The outcome: the delivery, or the status of its refusal. */
export async function outcome(
  verify: WebhookDeclaration<unknown>['verify'],
  sent: Sent,
  secrets: readonly string[],
  { at = Date.now(), base64 = false } = {},
): Promise<Delivery | number> {
  const rule: Verification = defineWebhook({ verify, map: () => undefined }).verify;
  try {
    return await verifyDelivery(requestOf(eventOf(sent, base64), at), secrets, rule, () => false);
  } catch (error) {
    const status = (error as { problem?: { status: number } }).problem?.status;
    if (status === undefined) throw error;
    return status;
  }
}
