import type { Limits } from '../../config/limits.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';

/**
 * Allows exactly `maxSteps` model calls. With the session scope, the count goes on over later runs. With `graceStep` the run may
 * then write one last message, without tools, before it ends.
 */
export const maxStepsGuard = ({
  maxSteps,
  scope,
  graceStep,
}: Pick<Limits, 'maxSteps' | 'scope' | 'graceStep'>) =>
  builtIn<'max_steps', { steps: number }>({
    name: 'max_steps',
    scope,
    initial: { steps: 0 },
    hooks: {
      preflight: ({ steps }) => {
        if (steps < maxSteps) return undefined;
        const ending = {
          kind: 'halt',
          state: 'max_steps',
          reason: 'max_steps',
          code: 'max_steps',
          message: `The limit of ${maxSteps} steps is reached.`,
          metadata: { count: steps, limits: { maxSteps } },
        } as const;
        return graceStep && steps === maxSteps
          ? { verdict: { kind: 'text_only', code: 'grace_step', text: guardTexts.graceStep, ending } }
          : { verdict: ending };
      },
      reply: ({ steps }) => ({ state: { steps: steps + 1 } }),
    },
  });
