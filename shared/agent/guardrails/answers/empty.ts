import type * as z from 'zod';
import type { Empty } from '../../config/replies.ts';
import { tellsFailure } from '../../session/facts.ts';
import { type Reply, textOf } from '../../session/reply.ts';
import type { Session } from '../../session/session.ts';
import type { Coded, Flag, Halt, Nudge } from '../../session/verdict.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';

type Config = z.output<typeof Empty>;

/** Last events that are searched for a failed result. */
const RECENT_EVENTS = 10;

type State = {
  /** Empty replies in a row after which the model was asked again. */
  used: number;
  thinkingAsked: boolean;
  afterFailure: number;
  /** Events since the last failed result; -1 = there was none. */
  sinceFailure: number;
  /** The last non-empty reply was cut text, and only the system has spoken since. */
  afterCut: boolean;
};

/**
 * Asks again when a reply is empty, or has only thinking; also when it says nothing about a failure. A stop to use tools that
 * names none is empty too. Silence after cut text is the end.
 */
export const emptyGuard = (config: Config) =>
  builtIn<'empty', State>({
    name: 'empty',
    scope: 'streak',
    initial: { used: 0, thinkingAsked: false, afterFailure: 0, sinceFailure: -1, afterCut: false },
    hooks: {
      inject: (state, { said }) =>
        state.afterCut && said.length > 0 ? { state: { ...state, afterCut: false } } : undefined,
      reply: (state, { reply }) => {
        if (isEmpty(reply)) return undefined;
        const passed = 1 + reply.calls.length;
        const sinceFailure =
          state.sinceFailure < 0 ? -1 : Math.min(state.sinceFailure + passed, RECENT_EVENTS);
        return {
          state: { ...state, used: 0, thinkingAsked: false, sinceFailure, afterCut: isCutText(reply) },
        };
      },
      result: (state, { result }) => {
        if (tellsFailure(result)) return { state: { ...state, sinceFailure: 0 } };
        if (state.sinceFailure < 0) return undefined;
        return { state: { ...state, sinceFailure: Math.min(state.sinceFailure + 1, RECENT_EVENTS) } };
      },
      complete: (state, { reply, session }) => {
        if (!isEmpty(reply) || reply.stop === 'max_tokens') return undefined;
        // Asked to continue where it was cut, the model has nothing to add: the text so far is the answer.
        if (state.afterCut) return { verdict: wasAll };
        if (config.thinkingNudge && reply.reasoning?.trim()) {
          if (state.thinkingAsked || state.used >= config.max) {
            return {
              verdict: { kind: 'flag', code: 'thinking_promoted', reason: 'completed', promote: true },
            };
          }
          const asked = { ...state, used: state.used + 1, thinkingAsked: true };
          return { state: asked, verdict: nudge('thinking_only', guardTexts.onlyThinking) };
        }
        if (state.used < config.max) {
          return {
            state: { ...state, used: state.used + 1 },
            verdict: nudge('empty_response', guardTexts.emptyReply),
          };
        }
        const failedLately = state.sinceFailure >= 0 && state.sinceFailure < RECENT_EVENTS;
        if (failedLately && state.afterFailure < config.afterFailure) {
          const asked = { ...state, afterFailure: state.afterFailure + 1 };
          return { state: asked, verdict: nudge('premature_end', guardTexts.endedAfterFailure) };
        }
        return { verdict: exhausted(config, session) };
      },
    },
  });

/** Neither text nor calls. */
const isEmpty = ({ content, calls }: Reply): boolean => calls.length === 0 && textOf(content).trim() === '';

/** Text cut by the output limit, or by the invocation's time; a call that was cut with it still has to be made. */
const isCutText = ({ stop, calls, cutCalls }: Reply): boolean =>
  (stop === 'max_tokens' || stop === 'deadline') && calls.length === 0 && !cutCalls;

const wasAll = {
  kind: 'flag',
  code: 'silent_after_cut',
  reason: 'completed_truncated',
  message: 'The answer was cut before its end, and the model had nothing to add.',
} as const satisfies Flag;

const nudge = <Code extends string>(code: Code, text: string): Coded<Nudge, Code> => ({
  kind: 'nudge',
  code,
  text,
});

function exhausted({ max, onExhausted }: Config, { run }: Session) {
  const accepted =
    onExhausted === 'accept' || (onExhausted === 'accept_after_tools' && (run?.toolCalls ?? 0) > 0);
  if (accepted) {
    const message = 'The model said nothing: there is no answer.';
    return { kind: 'flag', code: 'resilience_failed', reason: 'completed_empty', message } as const;
  }
  const halt: Coded<Halt, 'empty_response'> = {
    kind: 'halt',
    state: 'error',
    reason: 'model_error',
    code: 'empty_response',
    message: 'The model said nothing, and called nothing.',
  };
  // Recovery would also ask again. The two share one allowance, so a failure after these tries is not recovered.
  return max > 0
    ? halt
    : { ...halt, recover: { scenario: 'empty_response', text: guardTexts.emptyReply } as const };
}
