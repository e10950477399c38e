import type { CallbackOutcome, PostCallback } from '../agent/outbound/callback.ts';
import type { Callbacks } from '../edge/callbacks.ts';
import { log } from '../logger.ts';
import { createPost } from './post.ts';
import { signedHeaders } from './sign.ts';

/** Signs a callback with the tenant's secrets, posts it, and logs the outcome: never its address nor its content. */
export function callbackPoster(
  { secretsOf }: Pick<Callbacks, 'secretsOf'>,
  { allowLoopback }: { readonly allowLoopback: boolean },
): PostCallback {
  const post = createPost({ allowLoopback });
  return async ({ key, url, id, body }) => {
    const startedAt = Date.now();
    const secrets = await secretsOf(key.tenant);
    const outcome = await post({ url, body, headers: signedHeaders(id, body, startedAt, secrets) });
    const facts = { ...key, id, ...factsOf(outcome), ms: Date.now() - startedAt };
    log('info', 'a callback was posted', facts);
    return outcome;
  };
}

const factsOf = (outcome: CallbackOutcome) =>
  outcome.kind === 'answered' ? { status: outcome.status } : { failed: outcome.code };
