import type { Clock } from '../agent/ports/ports.ts';
import type { RequestCounts } from '../edge/request-counts.ts';
import type { Dynamo } from './dynamo.ts';
import { lifetime, requestsKey, ttlFrom } from './layout.ts';

/** Counts of requests in DynamoDB: one item for each second in which an environment has asked, and one conditional write to ask. */
export const createRequestCounts = (dynamo: Dynamo, clock: Pick<Clock, 'now'>): RequestCounts => ({
  async take(tenant, second, units, most) {
    if (units > most) return false;
    const counted = await dynamo.update({
      key: requestsKey(tenant, second),
      // A repeat by the SDK counts twice: the limit is reached that much early, and never late.
      add: ['#count :units'],
      set: ['#ttl = :ttl'],
      when: ['attribute_not_exists(#count) OR #count <= :room'],
      values: { units, room: most - units, ttl: ttlFrom(clock.now(), lifetime.count) },
    });
    return counted.kind === 'written';
  },
});
