import type { Clock } from '../../shared/agent/ports/ports.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import { errorFacts, log } from '../../shared/logger.ts';

/** Time in ms that one more try may take: a service that hangs uses the SDK's three tries of 3 s each. */
const TRY_MS = 10_000;
/** Time in ms until the next try. */
const AGAIN_MS = 1_000;

/**
 * Runs an operation that is safe to repeat, and repeats it while a service is down and time is left: a sender that delivers only
 * once would otherwise have delivered in vain.
 *
 * @param deadlineAt epoch ms at which the function is killed
 */
export async function insist<T>(
  act: () => Promise<T>,
  deadlineAt: number,
  { isOutage, clock }: { readonly isOutage: IsOutage; readonly clock: Pick<Clock, 'now' | 'sleep'> },
): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isOutage(error) || clock.now() + AGAIN_MS + TRY_MS > deadlineAt) throw error;
      log('warn', 'a service could not be reached; the delivery is tried again', errorFacts(error));
      await clock.sleep(AGAIN_MS);
    }
  }
}
