import { texts } from '../texts.ts';
import { defineGuard } from './guard.ts';

/** Lets the model sum up what it has done, without tools, when the run is asked to wrap up (T6). */
export const wrapUpGuard = defineGuard<{ asked: boolean }>({
  name: 'wrap_up',
  scope: 'run',
  initial: { asked: false },
  hooks: {
    // Until the run ends: a summary that was cut is gone on with, and still without tools.
    preflight: (state, { asked }) =>
      state.asked || asked.includes('wrap_up')
        ? { state: { asked: true }, verdict: { kind: 'text_only', code: 'wrap_up', text: texts.wrapUp } }
        : undefined,
  },
});

/**
 * Ends a run whose parent was cancelled (T1, T7). It is the last of the checks, and asked between steps only: a summary
 * that is on its way is delivered first.
 */
export const parentCancelGuard = defineGuard({
  name: 'parent_cancel',
  scope: 'run',
  initial: {},
  hooks: {
    preflight: (_state, { asked }) =>
      asked.includes('parent_cancel')
        ? {
            verdict: {
              kind: 'halt',
              state: 'cancelled',
              reason: 'cancelled',
              code: 'parent_cancelled',
              message: 'The run that this one works for was cancelled.',
            },
          }
        : undefined,
  },
});
