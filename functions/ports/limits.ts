import type { Dynamo } from '../../shared/aws/dynamo.ts';
import { createLimits, type LimitServices } from '../../shared/aws/limits.ts';
import type { HeldPlaces, Limits } from '../../shared/edge/limits.ts';
import { readEnv } from '../middleware/environment.ts';

/** The limits of each tenant, with the numbers from this function's environment. */
export function openLimits(dynamo: Dynamo, services: LimitServices): Limits & HeldPlaces {
  const { MESSAGES_PER_MINUTE, SESSIONS_AT_ONCE } = readEnv('MESSAGES_PER_MINUTE', 'SESSIONS_AT_ONCE');
  return createLimits(dynamo, services, {
    messagesPerMinute: Number(MESSAGES_PER_MINUTE),
    sessionsAtOnce: Number(SESSIONS_AT_ONCE),
  });
}
