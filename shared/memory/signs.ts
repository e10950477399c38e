import type { Sign, SignOf, SignStore } from '../edge/signs.ts';

/** Signs of rate limits in memory. */
export function createSigns(): SignStore {
  const signs = new Map<string, Sign>();
  const keyOf = ({ server, model, group }: SignOf) => JSON.stringify([server, model, group]);
  return {
    read: async (of) => signs.get(keyOf(of)),
    async put(of, { until, code }) {
      signs.set(keyOf(of), { until, code });
    },
  };
}
