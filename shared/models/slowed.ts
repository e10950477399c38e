import { readOnce } from '../agent/plain/read-once.ts';
import type { Provider } from '../agent/ports/provider.ts';
import type { Failure } from '../agent/session/reply.ts';
import type { SignStore } from '../edge/signs.ts';
import type { SignOptions, Signs } from './signs.ts';

/** Loads the code for signs with the first refusal, not before. */
export const readSigns = readOnce(() => import('./signs.ts'));

/**
 * Makes models back off together at their servers' rate limits (docs/adr/0024-signs.md): a request is not made while a
 * sign says that it would be refused. There is one for each environment, for all its invocations. Until a server has
 * refused a request, it reads no sign and calls no service.
 */
export function slowedTogether(store: SignStore, options: SignOptions): (provider: Provider) => Provider {
  let signs: Signs | undefined;
  return (provider) => ({
    async complete(request, onDelta, signal) {
      // An aborted caller makes no request anyway.
      const unasked = signal.aborted ? undefined : await signs?.standing(request);
      if (unasked) return { kind: 'failed', failure: unasked };
      const outcome = await provider.complete(request, onDelta, signal);
      if (outcome.kind === 'failed' && isForAll(outcome.failure)) {
        const { openSigns } = await readSigns();
        signs ??= openSigns(store, options);
        await signs.refused(request, outcome.failure);
      }
      return outcome;
    },
  });
}

type Retry = Extract<Failure, { kind: 'retry' }>;

/** Whether another session's request would be refused as well: a rate limit, or a server that says when to ask again. */
const isForAll = (failure: Failure): failure is Retry =>
  failure.kind === 'retry' && (failure.rateLimited || failure.retryAfterMs !== undefined);
