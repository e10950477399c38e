import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import { own } from '../../plain/merge.ts';
import { type ToolFacts, toolOf } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { onlyWaits } from './classify.ts';
import { wasRun } from './fingerprint.ts';
import { type LoopScope, loopBlock, loopHalt, loopNudge, loopState, withEntry } from './loop-guard.ts';
import { isNews, isPolling, newsKey, type Remembered, shortKey, varies } from './news.ts';
import { didPart, maySucceedLater } from './outcome.ts';
import { isUnfinished } from './unfinished.ts';

type Config = Pick<z.output<typeof Loop>, 'cycles' | 'news'>;
type State = Remembered & {
  /** How often each call was requested since something was new. */
  readonly times: { readonly [call: string]: number };
  /**
   * The count of a remembered call that is not in `times`: 1, because the calls of a first round follow each other, each new; 0
   * after an old call has had a new result.
   */
  readonly base: number;
  /** The count of the call that the model was last told about. */
  readonly told: number;
  /** A call of this step has brought something new. */
  readonly fresh: boolean;
};

/** Calls that are remembered with their results: a round of so many. They take some 4 KB of a session's state. */
const MAX_SEEN = 128;

/**
 * Stops a run that goes in circles: steps that bring nothing new, whatever their order and the length of the round. By how often
 * a call was requested since anything was new, it is advised against, then refused, then ends the run. A refused call still
 * counts, and a batch counts once. The model was told twice by then, so nothing recovers from that.
 */
export const cyclesGuard = ({ cycles, news }: Config, scope: LoopScope) =>
  builtIn<'cycles', State>({
    name: 'cycles',
    ...loopState(scope),
    initial: { seen: [], waited: false, pending: [], times: {}, base: 1, told: 0, fresh: false },
    hooks: {
      call: (state, { session, call, tool }) => {
        const limits = limitsOf(pollsIn(state, session, call, tool) ? cycles.poll : cycles);
        const { refuse, halt } = limits;
        const nth = timesOf(state, shortKey(call)) + 1;
        const message = guardTexts.cycle(call.name, nth);
        const metadata = { tool: call.name, count: nth, limits };
        if (halt > 0 && nth >= halt)
          return { verdict: { ...loopHalt('cycle', message, metadata), recover: 'never' } };
        return refuse > 0 && nth >= refuse
          ? { verdict: loopBlock('cycle_refused', message, metadata) }
          : undefined;
      },
      result: (before, { session, call, result, tool }) => {
        if (!remembers(cycles, news)) return undefined;
        const state = { ...before, pending: pendingAfter(before.pending, call, result, tool) };
        if (!isNews(session, { call, result, tool })) return { state };
        const key = newsKey(call, result, tool);
        const base = isKnown(state, shortKey(call)) ? 0 : 1;
        const seen = [...state.seen.filter((one) => one !== key), key].slice(-MAX_SEEN);
        return {
          state: { ...state, seen, base: state.fresh ? Math.min(base, state.base) : base, fresh: true },
        };
      },
      batch: (state, { session, calls, tools }) => {
        if (!remembers(cycles, news)) return undefined;
        const waited = calls.every((call) => onlyWaits(call, toolOf(tools, call)));
        const asked = new Map(calls.map((call) => [shortKey(call), call]));
        const before: State = state.fresh ? { ...state, times: {}, told: 0, fresh: false } : state;
        const times = [...asked.keys()].reduce<State['times']>(
          (all, key) => withEntry(all, key, state.fresh ? 1 : timesOf(before, key) + 1, MAX_SEEN),
          before.times,
        );
        const next = { ...before, waited, times };
        // `call-streak.ts` advises against a single repeated call, unless it is a poll.
        const round = Object.keys(times).length > 1;
        const over = [...asked].find(([key, call]) => {
          const poll = pollsIn(state, session, call, toolOf(tools, call));
          const { advise } = poll ? cycles.poll : cycles;
          const n = own(times, key) ?? 0;
          return (round || poll) && advise > 0 && n >= advise && n > next.told;
        });
        if (!over) return { state: next };
        const [key, call] = over;
        const { name } = call;
        const told = own(times, key) ?? 0;
        const verdict = loopNudge('cycle', guardTexts.goesRound(name, told), next.told > 0, {
          tool: name,
          count: told,
          limits: limitsOf(pollsIn(state, session, call, toolOf(tools, call)) ? cycles.poll : cycles),
        });
        return { state: { ...next, told }, unsaid: next, verdict };
      },
    },
  });

/** The pending polls, by their results; a refused one has no result. */
function pendingAfter(
  pending: State['pending'],
  call: ToolCall,
  result: ToolResult,
  tool: ToolFacts | undefined,
): State['pending'] {
  if (!wasRun(result)) return pending;
  const others = pending.filter((one) => one !== shortKey(call));
  const again = isUnfinished(call, result, tool) || maySucceedLater(call, result, tool) || didPart(result);
  return again ? [...others, shortKey(call)].slice(-MAX_SEEN) : others;
}

/** Whether the limits of polls apply. */
const pollsIn = (state: State, session: Session, call: ToolCall, tool: ToolFacts | undefined): boolean =>
  isPolling(session, call, tool) || varies(state, call, tool);

const limitsOf = ({ advise, refuse, halt }: Config['cycles']['poll']) => ({ advise, refuse, halt });

const isKnown = ({ seen }: State, key: string): boolean => seen.some((one) => one.startsWith(key));

const timesOf = (state: State, key: string): number =>
  own(state.times, key) ?? (isKnown(state, key) ? state.base : 0);

/** Remembers nothing if no setting needs it. */
const remembers = ({ advise, refuse, halt }: Config['cycles'], news: Config['news']): boolean =>
  news === 'excused' || advise + refuse + halt > 0;
