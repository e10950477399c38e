import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { WebhookSource } from '../../shared/agent/define/webhook.ts';
import { json } from '../middleware/request.ts';
import type { Request } from './delivery.ts';
import { toolsWith } from './verify-tools.ts';

/** Longest answer to a challenge in characters: senders ask for a short text of theirs, or a hash of one. */
const MAX_ANSWER = 10_000;

/**
 * Answers a request by which a sender checks the URL, if the source's function takes it for one. A text that came from outside
 * goes back as plain text that no browser reads as a page. Throws what the function throws.
 */
export async function answerChallenge(
  { challenge }: WebhookSource,
  { method, url, headers, body, at }: Request,
  verified: boolean,
  secrets: readonly string[],
): Promise<APIGatewayProxyStructuredResultV2 | undefined> {
  const answer = await challenge?.({ method, url, headers, body, at, verified }, toolsWith(secrets));
  if (answer === undefined || answer === null) return undefined;
  const safe = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
  const answered =
    typeof answer === 'string'
      ? { statusCode: 200, headers: { ...safe, 'content-type': 'text/plain; charset=utf-8' }, body: answer }
      : json(200, answer, safe);
  if ((answered.body ?? '').length > MAX_ANSWER)
    throw new Error(`a challenge was answered with more than ${MAX_ANSWER} characters`);
  return answered;
}
