import type { Guardrails } from '../../config/guardrails.ts';
import { own } from '../../plain/merge.ts';
import type { Assessment } from '../../session/assessment.ts';
import type { Session } from '../../session/session.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';

type State = {
  /** Replies since the last question. */
  readonly since: number;
  /** Findings in a row that the run is stuck. */
  readonly stuck: number;
  /** A finding that the model has not been told yet. */
  readonly untold: '' | 'done' | 'stuck';
  /** The reason of the last finding, for people. */
  readonly why: string;
  /** The first and the last request of the run; they may have left the context. */
  readonly asked: readonly string[];
};

const NAME = 'progress';
/** Findings in a row that end the run. */
const MOST_STUCK = 2;
const REQUEST_CHARS = 1_000;
const initial: State = { since: 0, stuck: 0, untold: '', why: '', asked: [] };

/**
 * Acts on assessments of the run's progress, which steps of their own buy (`step/assess/`). The first `stuck` advises the model, the
 * second in a row ends the run; a message of a person starts afresh. The model is told fixed texts and never the words of the
 * assessment, in which words of tool results may come back.
 */
export const progressGuard = ({ enabled }: Guardrails['progress']) =>
  builtIn<'progress', State>({
    name: NAME,
    scope: 'run',
    initial,
    hooks: !enabled
      ? {}
      : {
          preflight: ({ stuck, why }) =>
            stuck >= MOST_STUCK
              ? {
                  verdict: {
                    kind: 'halt',
                    ...{ state: 'error', reason: 'loop_halt', code: 'no_progress' },
                    message: guardTexts.noProgressAssessed(why),
                    metadata: { count: stuck, limits: { halt: MOST_STUCK } },
                    recover: 'never',
                  },
                }
              : undefined,
          inject: (state, { said, textOnly }) => {
            const heard = said.length > 0 ? { ...initial, asked: withAsked(state.asked, said) } : state;
            const { untold } = heard;
            if (untold === '' || textOnly) return { state: heard };
            const text = untold === 'done' ? guardTexts.looksDone : guardTexts.looksStuck;
            return {
              state: { ...heard, untold: '' },
              unsaid: heard,
              verdict: { kind: 'nudge', code: untold === 'done' ? 'looks_done' : 'looks_stuck', text },
            };
          },
          reply: (state) => ({ state: { ...state, since: state.since + 1 } }),
        },
  });

/** The facts that a question about the run's progress needs. */
export const progressOf = ({ metadata }: Pick<Session, 'metadata'>): Pick<State, 'since' | 'asked'> => ({
  ...initial,
  ...own(metadata.guardrails, NAME),
});

/** The session with an assessment, on which the guard acts in the next step. */
export function withAssessment(session: Session, { finding, why }: Assessment): Session {
  const before: State = { ...initial, ...own(session.metadata.guardrails, NAME) };
  const stuck = finding === 'stuck' ? before.stuck + 1 : finding === 'unclear' ? before.stuck : 0;
  const untold = finding === 'done' || (finding === 'stuck' && stuck < MOST_STUCK) ? finding : '';
  const slice: State = { ...before, since: 0, stuck, untold, why };
  return { ...session, metadata: { guardrails: { ...session.metadata.guardrails, [NAME]: slice } } };
}

function withAsked(before: readonly string[], said: readonly string[]): readonly string[] {
  const first = before[0] ?? headOf(said[0]);
  const last = headOf(said.at(-1));
  return first === last ? [first] : [first, last];
}

const headOf = (text = ''): string => text.slice(0, REQUEST_CHARS).toWellFormed();
