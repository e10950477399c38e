import type { Clock } from '../../shared/agent/ports/ports.ts';
import type { Dynamo } from '../../shared/aws/dynamo.ts';
import { readEnv } from '../middleware/environment.ts';
import { createPace, type Pace } from '../middleware/pace.ts';

/** The limit of each tenant's requests, with the number from this function's environment. */
export function openPace(dynamo: Dynamo, clock: Pick<Clock, 'now'>): Pace {
  const counts = () =>
    import('../../shared/aws/request-counts.ts').then((it) => it.createRequestCounts(dynamo, clock));
  return createPace(counts, Number(readEnv('REQUESTS_PER_SECOND').REQUESTS_PER_SECOND));
}
