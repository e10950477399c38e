import type { Limits } from '../define.ts';
import { defineGuard } from './guard.ts';

/** Allows exactly `maxSteps` model calls (A4). The session scope goes on counting over later runs. */
export const maxStepsGuard = ({ maxSteps, scope }: Pick<Limits, 'maxSteps' | 'scope'>) =>
  defineGuard<{ steps: number }>({
    name: 'max_steps',
    scope,
    initial: { steps: 0 },
    hooks: {
      preflight: ({ steps }) =>
        steps >= maxSteps
          ? {
              verdict: {
                kind: 'halt',
                state: 'max_steps',
                reason: 'max_steps',
                code: 'max_steps',
                message: `The limit of ${maxSteps} steps is reached.`,
              },
            }
          : undefined,
      reply: ({ steps }) => ({ state: { steps: steps + 1 } }),
    },
  });
