import type { Clock } from '../../shared/agent/ports.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import { errorFacts, log } from '../../shared/logger.ts';

/** Time in ms that one more try may take: a service that hangs takes the three tries of the SDK, of 3 s each. */
const TRY_MS = 10_000;
/** Time in ms until the next try. */
const AGAIN_MS = 1_000;

/**
 * Does something that may be done twice, and does it again for as long as a service is away and there is time: who
 * delivers once would have delivered in vain.
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
