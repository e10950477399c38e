import type { Clock } from '../../shared/agent/ports.ts';
import type { Dynamo } from '../../shared/aws/dynamo.ts';
import { createLimits, type Limits } from '../../shared/aws/limits.ts';
import { readEnv } from './environment.ts';

/** The limits of each tenant, by the numbers in this function's environment. */
export function openLimits(dynamo: Dynamo, clock: Pick<Clock, 'now'>): Limits {
  const { MESSAGES_PER_MINUTE, SESSIONS_AT_ONCE } = readEnv('MESSAGES_PER_MINUTE', 'SESSIONS_AT_ONCE');
  return createLimits(dynamo, clock, {
    messagesPerMinute: Number(MESSAGES_PER_MINUTE),
    sessionsAtOnce: Number(SESSIONS_AT_ONCE),
  });
}
