import type * as z from 'zod';
import { type Loop, rises } from '../../config/loop.ts';
import { own } from '../../plain/merge.ts';
import type { ToolFacts } from '../../session/facts.ts';
import { builtIn } from '../guard-codes.ts';
import { classify } from './classify.ts';
import { isNoEvidence } from './declared.ts';
import { wasRun } from './fingerprint.ts';
import { type LoopScope, loopBlock, loopHalt, loopState, loopWarn, withEntry } from './loop-guard.ts';
import { isPolling } from './news.ts';
import { continuedBy, extend, noStreak, type Streak, stepOf } from './streak.ts';

type Config = Pick<z.output<typeof Loop>, 'enabled' | 'counts' | 'news' | 'noProgress'>;

/** Names that are counted; the oldest are forgotten. */
const MAX_NAMES = 200;
/** Identical results in a row that count as stuck if `noProgress.warn` is off. */
const STUCK = 4;

/** The state of the counts, which `get_stats` also shows. */
export type CountsState = {
  readonly toolCounts: { readonly [tool: string]: number };
  readonly successes: number;
  readonly failures: number;
  readonly streak: Streak;
  /** People were told that loop guards are off. */
  readonly told?: boolean;
};

const disabled = { kind: 'allow', code: 'disabled', message: 'Loop guards are turned off.' } as const;

/**
 * Limits how often a run calls one tool, whatever the arguments: a warning on the result, then a refusal, then the end. Every
 * requested call counts, including refused ones. It goes on counting while it is turned off.
 */
export const countsGuard = ({ enabled, counts, news, noProgress }: Config, scope: LoopScope) =>
  builtIn<'counts', CountsState>({
    name: 'counts',
    ...loopState(scope),
    initial: { toolCounts: {}, successes: 0, failures: 0, streak: noStreak },
    hooks: {
      call: (state, { session, call, effect, tool }) => {
        const times = (own(state.toolCounts, call.name) ?? 0) + 1;
        const next = { ...state, toolCounts: withEntry(state.toolCounts, call.name, times, MAX_NAMES) };
        if (!enabled) {
          if (state.told) return { state: next };
          const metadata = { tool: call.name, count: times };
          return { state: { ...next, told: true }, verdict: { ...disabled, metadata } };
        }
        const kind = classify(call.name, effect);
        const ofTool = own(counts.perTool, call.name);
        const stuck =
          counts.gate === 'always' || continuedBy(state.streak, call) >= (noProgress.warn || STUCK);
        const excuses = counts.gate === 'stuck' && news === 'excused';
        // A tool's own thresholds are set on purpose; only those of its kind are excused.
        const excused = excuses && (!stuck || isPolling(session, call, tool));
        const limits = thresholdsOf(ofTool, excused ? none : counts[kind]);
        return { state: next, verdict: verdictOn(call.name, times, limits, kind, stuck) };
      },
      result: (state, { session, call, result, tool }) => {
        if (!wasRun(result)) return undefined;
        const ok = result.outcome === 'ok';
        return {
          state: {
            ...state,
            successes: state.successes + (ok ? 1 : 0),
            failures: state.failures + (ok ? 0 : 1),
            streak:
              news === 'excused' && isNoEvidence({ result, tool })
                ? noStreak
                : extend(state.streak, { call, result, tool }, stepOf(session, news)),
          },
        };
      },
    },
  });

type Thresholds = Config['counts']['idempotent'];
type OfTool = Config['counts']['perTool'][string];
const none: Thresholds = { warn: 0, block: 0, halt: 0 };

/** A tool's own thresholds, with those of its kind for missing ones. */
const thresholdsOf = (ofTool: OfTool | undefined, ofKind: Thresholds): Thresholds => ({
  warn: ofTool?.warn ?? ofKind.warn,
  block: ofTool?.block ?? ofKind.block,
  halt: ofTool?.halt ?? ofKind.halt,
});

/** The tools whose thresholds do not rise once those of their kind are filled in, and how. */
export const notRising = (counts: Config['counts'], tools: readonly ToolFacts[]): string[] =>
  Object.entries(counts.perTool).flatMap(([name, ofTool]) => {
    const kind = classify(name, tools.find((tool) => tool.name === name)?.effect ?? 'unknown');
    const { warn, block, halt } = thresholdsOf(ofTool, counts[kind]);
    if (rises([warn, block, halt])) return [];
    return `guardrails.loop.counts.perTool.${name}: with what is set for ${kind} tools it is ${warn}, ${block}, ${halt}, and must rise: warn < block < halt (0 = off)`;
  });

/** Refuses and ends only what is stuck; otherwise the same thresholds warn. */
function verdictOn(
  name: string,
  times: number,
  limits: { warn: number; block: number; halt: number },
  kind: ReturnType<typeof classify>,
  stuck: boolean,
) {
  const { warn, block, halt } = limits;
  const metadata = { tool: name, count: times, limits };
  const reached = (threshold: number) => threshold > 0 && times >= threshold;
  const said = `${name} was called ${times} times in this run.`;
  if (reached(halt) && stuck) return loopHalt(`${kind}_halt`, said, metadata);
  if (reached(block) && stuck) {
    return loopBlock(`${kind}_block`, said, metadata, `It was not run. ${instead}`);
  }
  if (reached(warn) || reached(block) || reached(halt)) {
    return loopWarn(`${kind}_warn`, said, metadata, instead);
  }
  return undefined;
}

const instead = 'Use what you have, or do something else.';
