import { isSignedBySlack } from '../../shared/slack/signature.ts';
import { Refusal } from '../middleware/problem.ts';
import { rawBody } from '../middleware/request.ts';
import type { Request } from './context.ts';

/** Larger payloads are refused; Slack's are far smaller. */
const MAX_BYTES = 1024 * 1024;

/** The raw body of a request that Slack has signed. Refuses others with 401, before anything is read or stored. */
export async function verifiedBody(
  event: Request,
  secret: () => Promise<string>,
  now: number,
): Promise<string> {
  const body = rawBody(event, MAX_BYTES);
  const timestamp = event.headers['x-slack-request-timestamp'];
  const signature = event.headers['x-slack-signature'];
  if (signature && isSignedBySlack({ body, timestamp, signature }, await secret(), now)) return body;
  throw new Refusal(401, 'Wrong signature', {
    detail:
      'X-Slack-Signature must be the HMAC-SHA256 of "v0:<X-Slack-Request-Timestamp>:<raw body>" with the signing secret, at most five minutes old.',
  });
}
