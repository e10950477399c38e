import { type NotToRetry, retryRun } from '../../shared/agent/entrypoints/retry.ts';
import { type CallerFacts, callerFacts } from '../../shared/agent/session/caller.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Limits } from '../../shared/edge/limits.ts';
import { admitted } from '../middleware/admit.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { eventIdOf, requireTaken } from './arrivals.ts';
import { type Route, sessionKeyOf } from './context.ts';

/** `POST /sessions/{sessionId}/retry`: a run that continues where the last one failed. */
export const retrySession: Route = async (event, caller, context) => {
  const key = sessionKeyOf(event, caller);
  const eventId = `retry-${eventIdOf(event, context.io)}`;
  const result = await retried(key, { eventId, caller, channel: 'http' }, context);
  const { sessionId } = key;
  return json(202, { sessionId, eventId, duplicate: result === 'duplicate' });
};

interface RetryRequest {
  readonly eventId: string;
  readonly caller: Identity;
  readonly channel: CallerFacts['channel'];
}

/** Retries a failed run; all entry points use it. Refuses with 409 if there is nothing to retry. */
export async function retried(
  key: SessionKey,
  { eventId, caller, channel }: RetryRequest,
  { io, limits }: { readonly io: Parameters<typeof retryRun>[2]; readonly limits: Limits },
) {
  return admitted(key, limits, async (place) => {
    const asked = { eventId, by: caller.subject, caller: callerFacts(caller, channel) };
    const result = await retryRun(key, asked, io);
    if (result === 'busy' || result === 'never_ran' || result === 'completed')
      throw new Refusal(409, 'Nothing to retry', { detail: whyNot[result] });
    if (result === 'duplicate') await place.giveBack();
    return requireTaken(result);
  });
}

const whyNot: Readonly<Record<NotToRetry, string>> = {
  busy: 'A run is going or waiting. Stop it first (POST …/cancel), or wait for its end.',
  never_ran: 'No run of this session has ended yet. Send a message.',
  completed:
    'The last run completed with an answer. Send a message, or edit the one that began it (POST …/edit).',
};
