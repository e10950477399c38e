/** Signs of rate limits in DynamoDB, one item each. Loaded when a model's server first refuses a request. */

import { consistencyOf } from '../agent/consistency.ts';
import type { SignStore } from '../edge/signs.ts';
import type { Dynamo } from './dynamo.ts';
import { lifetime, signKey, ttlFrom } from './layout.ts';

const reads = consistencyOf.signs;

export const createSigns = (dynamo: Dynamo): SignStore => ({
  async read(of) {
    const item = await dynamo.get(signKey(of), { consistency: reads.read });
    return item && { until: item.until, code: item.code };
  },

  async put(of, { until, code }) {
    await dynamo.put({ ...signKey(of), until, code, ttl: ttlFrom(until, lifetime.sign) });
  },
});
