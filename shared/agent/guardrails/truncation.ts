import * as z from 'zod';
import { texts } from '../texts.ts';
import { defineGuard, type Halt, type Nudge } from './guard.ts';

/** What is done about replies that were cut at the output limit (U2). */
export const Truncation = z.strictObject({
  /** Cut replies that are asked to go on; 0 = off (A15: 2, H12: 2, T17: 3). */
  max: z.int().min(0).max(100).default(2),
  /**
   * What `max` counts over: the whole session (S1), a run, or cut replies in a row. `step` (S4) is a row too: what the
   * model takes to finish one reply.
   */
  scope: z.enum(['session', 'run', 'streak', 'step']).default('streak'),
  /**
   * Calls of a cut reply: all dropped, or run as far as their provider knows them to be whole, as it does where calls
   * are text (H12).
   */
  toolCalls: z.enum(['discard', 'salvage_xml']).default('salvage_xml'),
  /**
   * After `max`: the cut text is the answer and the run says so (`complete`, S1; `accept`, S4), the run fails
   * (`model_error`, S2), or it depends: text is the answer, a cut call fails the run (`by_kind`).
   */
  onExhausted: z.enum(['complete', 'accept', 'model_error', 'by_kind']).default('by_kind'),
  /** The parts of a continued answer count as one (T17). */
  join: z.boolean().default(true),
});
type Config = Pick<z.output<typeof Truncation>, 'max' | 'scope' | 'onExhausted'>;

/** Asks a reply that was cut at the output limit to go on, and says that the limit was the cause (A15, H12, T17, T18). */
export const truncationGuard = ({ max, scope, onExhausted }: Config) =>
  defineGuard<{ used: number }>({
    name: 'truncation',
    scope: scope === 'session' ? 'session' : scope === 'run' ? 'run' : 'streak',
    initial: { used: 0 },
    hooks: {
      reply: ({ used }, { reply }) => {
        if (reply.stop !== 'max_tokens') {
          const inARow = scope === 'streak' || scope === 'step';
          return inARow && used > 0 ? { state: { used: 0 } } : undefined;
        }
        // Calls that are whole run all the same; what was cut after them counts, and is asked for again with their results.
        if (reply.calls.length === 0) return undefined;
        if (used >= max) return { verdict: failed('Its tool calls were cut off again and again.') };
        return { state: { used: used + 1 }, verdict: resume('truncated_calls', texts.resumeAfterCutCalls) };
      },
      complete: ({ used }, { reply, textOnly }) => {
        if (reply.stop !== 'max_tokens') return undefined;
        const callsCut = !textOnly && (reply.cutCalls ?? false);
        if (used < max) {
          const verdict = callsCut
            ? resume('truncated_calls', texts.smallerArguments)
            : resume('max_tokens_recovery', texts.resumeAfterCut);
          return { state: { used: used + 1 }, verdict };
        }
        if (onExhausted === 'model_error' || (onExhausted === 'by_kind' && callsCut)) {
          return { verdict: failed(`${used + 1} replies were cut off at the output limit.`) };
        }
        const message = 'The answer was cut at the output limit.';
        return { verdict: { kind: 'flag', code: 'max_tokens', reason: 'completed_truncated', message } };
      },
    },
  });

const resume = (code: string, text: string): Nudge => ({ kind: 'nudge', code, text });
const failed = (message: string): Halt => ({
  kind: 'halt',
  state: 'error',
  reason: 'model_error',
  code: 'truncation',
  message,
});
