import type { Callbacks } from '../edge/callbacks.ts';

/** For deployments whose definition does not say `callbacks: true`. */
export const noCallbacks: Callbacks = {
  check: () => ({
    refused: 'is refused: this deployment makes no callbacks; set "callbacks: true" in its definition',
  }),
  secretsOf: async () => [],
};
