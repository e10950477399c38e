import { verify } from '@octokit/webhooks-methods';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { hash } from '../../shared/agent/hash.ts';
import { Refusal } from '../middleware/problem.ts';
import { rawBody } from '../middleware/request.ts';

/** A delivery that GitHub has signed. */
export interface GithubDelivery {
  /** The event's name: `issues`, `issue_comment`, … */
  readonly name: string;
  readonly deliveryId: string;
  readonly payload: unknown;
  /** What makes it the same delivery: its id, and its body, because emulators count ids from 1 at each start. */
  readonly eventId: string;
}

/** Payloads above this many bytes are refused; those of issues and comments are far below. */
const MAX_BYTES = 1024 * 1024;

/**
 * Verifies a delivery over its raw body with GitHub's own library, in constant time. GitHub sends no timestamp: the
 * delivery id is the defence against replays (platform-facts.md section 1, Webhooks).
 *
 * Refuses with 401 what is not signed with the secret, before anything is read or stored.
 */
export async function verifyGithub(
  event: APIGatewayProxyEventV2,
  secret: () => Promise<string>,
): Promise<GithubDelivery> {
  const body = rawBody(event, MAX_BYTES);
  const signature = event.headers['x-hub-signature-256'];
  if (!signature || !(await verify(await secret(), body, signature).catch(() => false))) {
    throw new Refusal(401, 'Wrong signature', {
      detail: 'X-Hub-Signature-256 must be the HMAC-SHA256 of the raw body with the webhook secret.',
    });
  }
  const name = event.headers['x-github-event'];
  const deliveryId = event.headers['x-github-delivery'];
  if (!name || !deliveryId) {
    throw new Refusal(400, 'Missing headers', { detail: 'Send X-GitHub-Event and X-GitHub-Delivery.' });
  }
  return { name, deliveryId, payload: parse(body), eventId: `github-${hash(`${deliveryId} ${body}`)}` };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'Malformed JSON', {
      detail: 'Set the content type of the webhook to application/json.',
    });
  }
}
