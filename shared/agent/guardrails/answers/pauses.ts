import { builtIn } from '../guard-codes.ts';

/** Pauses of a server-side tool in a row that are resumed (the Messages API: about 5). */
const MAX_PAUSES = 5;

/** Limits how often a turn that the server paused is resumed. */
export const pausesGuard = builtIn<'pauses', { pauses: number }>({
  name: 'pauses',
  scope: 'streak',
  initial: { pauses: 0 },
  hooks: {
    reply: ({ pauses }, { reply }) => {
      if (reply.stop !== 'pause_turn') return pauses === 0 ? undefined : { state: { pauses: 0 } };
      if (pauses < MAX_PAUSES) return { state: { pauses: pauses + 1 } };
      return {
        verdict: {
          kind: 'halt',
          state: 'error',
          reason: 'model_error',
          code: 'too_many_pauses',
          message: `The model's server paused its turn more than ${MAX_PAUSES} times in a row.`,
        },
      };
    },
  },
});
