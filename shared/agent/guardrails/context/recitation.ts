import type { Injections } from '../../config/injections.ts';
import { builtIn } from '../guard-codes.ts';
import { reminding } from './reminding.ts';

type State = {
  /** Step of the last recitation; 0 before the first one. */
  readonly last: number;
  /** Steps until the next one. */
  readonly every: number;
  /** Heads of people's requests in the run: the first, and the last. They may have left the context. */
  readonly asked: readonly string[];
};

/** Used before the size of the context is known. */
const INITIAL = 5;
/** Tokens of context below which each of the configured numbers applies; the fourth is for larger contexts. */
const BELOW = [10_000, 30_000, 60_000] as const;

const GOAL_CHARS = 300;

/**
 * Tells the model from time to time what it was asked for and where it is, depending on how much it has read: the task, its list
 * of things to do if it keeps one with a tool, the last files that it worked on, and the failures.
 *
 * @param every steps between two, by the size of the context; empty = off
 */
export const recitationGuard = (every: Injections['recitation']) =>
  builtIn<'recitation', State>({
    name: 'recitation',
    scope: 'run',
    initial: { last: 0, every: INITIAL, asked: [] },
    hooks: {
      inject: (state, { session, said, textOnly, context }) => {
        if (every.length === 0) return undefined;
        const asked = said.length > 0 ? withAsked(state.asked, said) : state.asked;
        const step = (session.run?.steps ?? 0) + 1;
        const tokens = context.tokens();
        const size = BELOW.findIndex((below) => tokens < below);
        const next = { ...state, asked, every: every.at(size) ?? state.every };
        if (textOnly || (state.last > 0 && step - state.last < state.every)) return { state: next };
        const text = reminding().recite(session, asked, context.slots);
        return {
          state: { ...next, last: step },
          unsaid: next,
          verdict: { kind: 'nudge', code: 'recitation', text, again: true, beside: true },
        };
      },
    },
  });

/** The first message of the run, and the last. */
function withAsked(before: readonly string[], said: readonly string[]): readonly string[] {
  const first = before[0] ?? headOf(said[0]);
  const last = headOf(said.at(-1));
  return first === last ? [first] : [first, last];
}

const headOf = (text = ''): string => text.replace(/\s+/g, ' ').trim().slice(0, GOAL_CHARS);
