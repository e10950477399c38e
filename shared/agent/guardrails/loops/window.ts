import type * as z from 'zod';
import type { detectors, Window } from '../../config/loop.ts';
import { defined } from '../../plain/defined.ts';
import type { ToolFacts } from '../../session/facts.ts';
import type { ToolCall } from '../../session/slots.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { isPoll, polls } from './classify.ts';
import { callKey, resultKey, wasRun } from './fingerprint.ts';
import { type LoopScope, loopBlock, loopNudge, loopState } from './loop-guard.ts';

type Config = z.output<typeof Window>;
type Detector = (typeof detectors)[number];
/** One call; `step` is of the run. `poll` is as its tool declares it. */
type Seen = {
  readonly tool: string;
  readonly call: string;
  readonly result: string;
  readonly step: number;
  readonly poll?: boolean;
};
type State = {
  readonly seen: readonly Seen[];
  readonly pattern: string;
  readonly nudged: boolean;
  /** The critical call that a person last refused, or did not decide on. */
  readonly denied: string;
};

/**
 * Looks for patterns in the last calls: the same call anywhere among them, a poll whose answer stays the same, two calls that
 * alternate. From `warn` matches on the call runs, and the model is told once a run; from `critical` on it is refused, or waits
 * for a person.
 */
export const windowGuard = (config: Config, scope: LoopScope) => {
  const critical = Math.max(config.critical, config.warn + 1);
  return builtIn<'window', State>({
    name: 'window',
    ...loopState(scope),
    initial: { seen: [], pattern: '', nudged: false, denied: '' },
    hooks: {
      call: (state, { call, tool }) => {
        const found = strongest(state.seen, call, tool, config.detectors);
        if (!found || found.count < config.warn) return undefined;
        const message = guardTexts.pattern(call.name, found.detector, found.count);
        const metadata = { tool: call.name, count: found.count, limits: { warn: config.warn, critical } };
        if (found.count >= critical) {
          const refused = loopBlock(`${found.detector}_critical`, message, metadata);
          // A person who has not allowed a call is not asked about the same call again.
          const ask = state.denied === callKey(call) ? 'never' : config.approval;
          return { verdict: { ...refused, ask } };
        }
        return {
          state: { ...state, pattern: message },
          verdict: { kind: 'warn', code: `${found.detector}_warning`, message, metadata },
        };
      },
      decided: (state, { call, approved }) => ({
        state: approved ? withoutCall(state, call) : { ...state, denied: callKey(call) },
      }),
      result: (state, { call, result, session, tool }) => {
        if (config.detectors.length === 0) return undefined;
        const key = callKey(call);
        // A refused call continues its pattern, as if it had its earlier result.
        const before = state.seen.findLast((one) => one.call === key)?.result;
        const outcome = wasRun(result)
          ? resultKey(result)
          : result.outcome === 'refused'
            ? before
            : undefined;
        if (outcome === undefined) return undefined;
        const seen = {
          tool: call.name,
          call: key,
          result: outcome,
          step: session.run?.steps ?? 0,
          ...defined({ poll: tool?.poll }),
        };
        return { state: { ...state, seen: [...state.seen, seen].slice(-config.size) } };
      },
      batch: (state) => {
        if (state.pattern === '') return undefined;
        if (state.nudged) return { state: { ...state, pattern: '' } };
        const verdict = {
          ...loopNudge('loop_pattern', guardTexts.selfCorrect(state.pattern)),
          message: state.pattern,
        };
        // If it is not told, it is found again when the pattern goes on.
        const rest = { ...state, pattern: '' };
        return { state: { ...rest, nudged: true }, unsaid: rest, verdict };
      },
    },
  });
};

/** The state without a call's records: a person has allowed it, so its count starts again. */
function withoutCall(state: State, call: ToolCall): State {
  const key = callKey(call);
  return { ...state, seen: state.seen.filter((one) => one.call !== key) };
}

function strongest(
  seen: readonly Seen[],
  call: ToolCall,
  tool: ToolFacts | undefined,
  on: readonly Detector[],
) {
  const poll = isPoll(call.name, tool);
  const counts = on.map((detector) => ({ detector, count: count[detector](seen, call, poll) }));
  return counts.reduce<(typeof counts)[number] | undefined>(
    (best, next) => (best && best.count >= next.count ? best : next),
    undefined,
  );
}

/** How often a pattern has occurred, including the pending call if its result does not matter. */
const count: Record<Detector, (seen: readonly Seen[], call: ToolCall, poll: boolean) => number> = {
  generic_repeat: (seen, call, poll) => {
    const key = callKey(call);
    return poll ? 0 : seen.filter((one) => one.call === key).length + 1;
  },
  /** Identical results at the end of the call's own records; the result of the pending call is not known. */
  poll_no_progress: (seen, call, poll) => {
    if (!poll) return 0;
    const key = callKey(call);
    const own = seen.filter((one) => one.call === key);
    const last = own.at(-1)?.result;
    return own.length - 1 - own.findLastIndex(({ result }) => result !== last);
  },
  /** Length of the tail A, B, A, B that the pending call continues. */
  ping_pong: (seen, call) => {
    const pending = callKey(call);
    const other = seen.at(-1);
    if (!other || other.call === pending) return 0;
    const wanted = [other.call, pending];
    const lastOf = new Map<string, string>();
    let length = 1;
    for (const one of seen.toReversed()) {
      if (one.call !== wanted[(length - 1) % 2]) break;
      const later = lastOf.get(one.call);
      if (later !== undefined && later !== one.result && (one.poll ?? polls(one.tool))) break;
      lastOf.set(one.call, one.result);
      length += 1;
    }
    return length > 2 ? length : 0;
  },
};
