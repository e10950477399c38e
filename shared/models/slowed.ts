import { readOnce } from '../agent/plain/read-once.ts';
import type { Provider } from '../agent/ports.ts';
import type { Failure } from '../agent/session/reply.ts';
import type { SignStore } from '../edge/signs.ts';
import type { SignOptions, Signs } from './signs.ts';

/** Reads what knows of rate limits: with the first refusal, and not before. */
export const readSigns = readOnce(() => import('./signs.ts'));

/**
 * Models whose servers' rate limits slow all who ask them together (docs/adr/0024-signs.md): a request is not made while a sign says that
 * it would be refused. One for each environment, for all its invocations. Until a server has refused it, it reads nothing and asks nobody.
 */
export function slowedTogether(store: SignStore, options: SignOptions): (provider: Provider) => Provider {
  let signs: Signs | undefined;
  return (provider) => ({
    async complete(request, onDelta, signal) {
      // Whoever is to stop makes no request anyway.
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

/** Whether another session's request would be refused as well: a rate limit, or a server that says when it is to be asked again. */
const isForAll = (failure: Failure): failure is Retry =>
  failure.kind === 'retry' && (failure.rateLimited || failure.retryAfterMs !== undefined);
