import { textOf } from '../../session/reply.ts';
import type { Halt } from '../../session/verdict.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';

/** Lets the model sum up what it has done, without tools, when the run is asked to wrap up. */
export const wrapUpGuard = builtIn<'wrap_up', { asked: boolean }>({
  name: 'wrap_up',
  scope: 'run',
  initial: { asked: false },
  hooks: {
    // Until the run ends: a summary that was cut is continued, still without tools.
    preflight: (state, { asked }) =>
      state.asked || asked.includes('wrap_up')
        ? { state: { asked: true }, verdict: { kind: 'text_only', code: 'wrap_up', text: guardTexts.wrapUp } }
        : undefined,
  },
});

/** Steps for which a parent's cancel waits for a wrap-up, failed tries included. */
const MOST_STEPS = 5;
/** Time in ms for which it waits, from the step that saw the cancel. A reply that is in progress by then is not cut. */
const MOST_MS = 120_000;

const parentCancelled = {
  kind: 'halt',
  state: 'cancelled',
  reason: 'cancelled',
  code: 'parent_cancelled',
  message: 'The run that this one works for was cancelled.',
} as const satisfies Halt;

type State = {
  /** The run was asked to wrap up, and its summary is written. */
  wrapping: boolean;
  said: boolean;
  /** Epoch ms of the step that saw the parent's cancel, and the steps since then that the wrap-up was given; 0 until then. */
  since: number;
  granted: number;
};

/**
 * Ends a run whose parent was cancelled. It is the last of the checks, and runs only between steps. A wrap-up that was requested
 * before the cancel, or together with it, may finish first, within a short time.
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
