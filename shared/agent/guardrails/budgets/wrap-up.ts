import { textOf } from '../../session/reply.ts';
import type { Halt } from '../../session/verdict.ts';
import { texts } from '../../texts.ts';
import { builtIn } from '../guard-codes.ts';

/** Lets the model sum up what it has done, without tools, when the run is asked to wrap up (T6). */
export const wrapUpGuard = builtIn<'wrap_up', { asked: boolean }>({
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

/** Steps that a parent's cancel waits for a wrap-up, tries that came to nothing included. */
const MOST_STEPS = 5;
/** Time in ms that it waits, from the step that heard it; a reply that is on its way by then is not cut. */
const MOST_MS = 120_000;

const parentCancelled = {
  kind: 'halt',
  state: 'cancelled',
  reason: 'cancelled',
  code: 'parent_cancelled',
  message: 'The run that this one works for was cancelled.',
} as const satisfies Halt;

type State = {
  /** The run was asked to wrap up, and its summary has been said. */
  wrapping: boolean;
  said: boolean;
  /** Epoch ms of the step that heard the parent's cancel, and steps since that were granted to the wrap-up; 0 until then. */
  since: number;
  granted: number;
};

/**
 * Ends a run whose parent was cancelled (T1, T7). It is the last of the checks, and asked between steps only: a wrap-up
 * that was asked for before, or together with it, is waited for, as long as that is not over and not for long.
 */
export const parentCancelGuard = builtIn<'parent_cancel', State>({
  name: 'parent_cancel',
  scope: 'run',
  respite: ({ since }) => (since === 0 ? undefined : { until: since + MOST_MS, halt: parentCancelled }),
  initial: { wrapping: false, said: false, since: 0, granted: 0 },
  hooks: {
    preflight: (state, { asked, now }) => {
      const wrapping = state.wrapping || asked.includes('wrap_up');
      const since = state.since || (asked.includes('parent_cancel') ? now : 0);
      if (since === 0) return wrapping === state.wrapping ? undefined : { state: { ...state, wrapping } };
      const heard = { ...state, wrapping, since };
      const waits = wrapping && !state.said && state.granted < MOST_STEPS && now - since < MOST_MS;
      return waits
        ? { state: { ...heard, granted: state.granted + 1 } }
        : { state: heard, verdict: parentCancelled };
    },
    complete: (state, { reply }) =>
      state.wrapping && reply.stop !== 'max_tokens' && textOf(reply.content).trim() !== ''
        ? { state: { ...state, said: true } }
        : undefined,
  },
});
