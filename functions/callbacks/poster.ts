import type { CallbackOutcome, PostCallback } from '../../shared/agent/outbound/callback.ts';
import { createPost } from '../../shared/callbacks/post.ts';
import { callbackSecrets } from '../../shared/callbacks/secrets.ts';
import { signedHeaders } from '../../shared/callbacks/sign.ts';
import { log } from '../../shared/logger.ts';

/** Signs a callback with the tenant's secrets, posts it, and logs how that went: never where it went to, nor what. */
export function callbackPoster({
  allowLoopback,
  masters,
}: {
  allowLoopback: boolean;
  masters: () => Promise<string>;
}): PostCallback {
  const post = createPost({ allowLoopback });
  return async ({ key, url, id, body }) => {
    const startedAt = Date.now();
    const secrets = callbackSecrets(await masters(), key.tenant);
    const outcome = await post({ url, body, headers: signedHeaders(id, body, startedAt, secrets) });
    const facts = { ...key, id, ...factsOf(outcome), ms: Date.now() - startedAt };
    log('info', 'a callback was posted', facts);
    return outcome;
  };
}

const factsOf = (outcome: CallbackOutcome) =>
  outcome.kind === 'answered' ? { status: outcome.status } : { failed: outcome.code };
