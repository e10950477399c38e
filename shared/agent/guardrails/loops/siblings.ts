import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { classify } from './classify.ts';
import { wasRun } from './fingerprint.ts';
import { loopNudge } from './loop-guard.ts';
import { shortKey } from './news.ts';

type State = {
  /** In a session that works for another one: the keys of its reads. Its parent gets them with its answer. */
  readonly reads: readonly string[];
  /** The keys of the reads of all agents whose answers the run has had, and how many of them one agent repeated after another. */
  readonly known: readonly string[];
  readonly repeated: number;
  readonly told: boolean;
};

/** Reads of one agent that are compared, the last ones: some 700 bytes of the state of a child, and of its answer. */
const MOST_READS = 64;
/** Reads of all agents of a run that are compared. */
const MOST_KNOWN = 256;

/**
 * Advises a run whose agents have made the same reads as one another, so that it divides the work better; once in a run. The
 * agents work at the same time and in sessions of their own, so what they did is compared when their answers come.
 */
export const siblingsGuard = (limit: number) =>
  builtIn<'siblings', State>({
    name: 'siblings',
    scope: 'run',
    initial: { reads: [], known: [], repeated: 0, told: false },
    hooks: {
      result: (state, { session, call, result, tool }) => {
        if (limit === 0 || !session.parent || !wasRun(result)) return undefined;
        if (classify(call.name, tool?.effect ?? 'unknown') !== 'idempotent') return undefined;
        const key = shortKey(call);
        const reads = [...state.reads.filter((one) => one !== key), key].slice(-MOST_READS);
        return { state: { ...state, reads } };
      },
      batch: (state, { done }) => {
        const children = done.flatMap(({ result }) => result.child?.reads ?? []);
        if (limit === 0 || children.length === 0) return undefined;
        const seen = done.reduce(afterChild, state);
        if (seen.told || seen.repeated < limit) return { state: seen };
        const text = guardTexts.siblings(seen.repeated);
        return {
          state: { ...seen, told: true },
          unsaid: seen,
          verdict: loopNudge('siblings', text, false, {
            count: seen.repeated,
            limits: { siblings: limit },
          }),
        };
      },
    },
  });

/** The state after the answer of one agent. */
function afterChild(state: State, { result }: { result: { child?: { reads?: readonly string[] } } }): State {
  const reads = result.child?.reads ?? [];
  const fresh = reads.filter((key) => !state.known.includes(key));
  return {
    ...state,
    known: [...state.known, ...fresh].slice(-MOST_KNOWN),
    repeated: state.repeated + reads.length - fresh.length,
  };
}
