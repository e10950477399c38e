import type { Callbacks } from '../edge/callbacks.ts';

/** Of deployments whose definition does not say `callbacks: true`. */
export const noCallbacks: Callbacks = {
  check: () => ({
    refused: 'is not taken: this deployment makes no callbacks (callbacks in its definition)',
  }),
  secretsOf: async () => [],
};
