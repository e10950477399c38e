/** Signs of rate limits in DynamoDB, an item each. Loaded by the first refusal of a model's server. */

import { consistencyOf } from '../../agent/consistency.ts';
import type { SignStore } from '../../edge/signs.ts';
import type { Dynamo } from '../dynamo.ts';
import { lifetime, signKey, ttlFrom } from '../layout.ts';

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
