import type * as z from 'zod';
import type { CallStreak, Loop } from '../../config/loop.ts';
import { own } from '../../plain/merge.ts';
import { plainPath, proofOf, targetOf } from '../../session/facts.ts';
import type { Coded, Halt } from '../../session/verdict.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { looksAtFiles, readsFiles } from './classify.ts';
import { callKey, resultKey, wasRun } from './fingerprint.ts';
import { type LoopScope, loopHalt, loopNudge, loopState, withEntry } from './loop-guard.ts';
import { isNewWork, isPolling } from './news.ts';
import { outcomeKey } from './outcome.ts';

type Config = z.output<typeof CallStreak>['read'];
type News = z.output<typeof Loop>['news'];
type Read = {
  readonly times: number;
  readonly result: string;
  readonly path: string;
  /** The step that was counted last, if equal reads of one batch count once. */
  readonly at?: number;
};

/** Reads that are remembered; the oldest are forgotten. */
const MAX_READS = 64;

/**
 * Ends a run at the n-th identical read without progress. Progress is a change of the file that is read, or another result than
 * before. Before that the model is asked to stop. Calls that neither read, list nor search are left to `cycles.ts`. With `news:
 * 'excused'`, any new piece of work in between is progress, and equal reads of one batch count once.
 */
export const identicalReadsGuard = ({ limit, warnAt }: Config, news: News, scope: LoopScope) =>
  builtIn<'identical_reads', { reads: { readonly [call: string]: Read } }>({
    name: 'identical_reads',
    ...loopState(scope),
    initial: { reads: {} },
    hooks: {
      call: ({ reads }, { session, call, effect, tool }) => {
        if (!readsFiles(call.name, effect)) return undefined;
        const excused = news === 'excused';
        if (excused && (isPolling(session, call, tool) || !looksAtFiles(call))) return undefined;
        const key = callKey(call, news);
        const before = own(reads, key) ?? { times: 0, result: '', path: pathOf(targetOf(call)) };
        if (excused && before.at === session.version) return undefined;
        const times = before.times + 1;
        const read = { ...before, times, ...(excused && { at: session.version }) };
        const state = { reads: withEntry(reads, key, read, MAX_READS) };
        return limit > 0 && times >= limit
          ? { state, verdict: tooMany(call.name, times, { limit, warnAt }) }
          : { state };
      },
      result: ({ reads }, { session, call, result, tool }) => {
        const changed = proofOf(call, result, tool).changed.map(pathOf);
        const works = news === 'excused' && isNewWork(session, { call, result, tool });
        if (changed.length > 0 || works) {
          const others = Object.entries(reads).filter(
            ([, { path }]) => path === '' || !changed.includes(path),
          );
          const kept = others.map(([key, read]) => [key, works ? { ...read, times: 1 } : read]);
          return { state: { reads: Object.fromEntries(kept) } };
        }
        const key = callKey(call, news);
        const read = own(reads, key);
        if (!read || !wasRun(result)) return undefined;
        const now = news === 'excused' ? outcomeKey(call, result, tool) : resultKey(result);
        const other = read.result !== '' && read.result !== now;
        const times = other || (news === 'excused' && result.progress !== undefined) ? 1 : read.times;
        return { state: { reads: { ...reads, [key]: { ...read, times, result: now } } } };
      },
      batch: ({ reads }, { done }) => {
        const again = done.find(
          ({ call }) => (own(reads, callKey(call, news))?.times ?? 0) >= (warnAt || Infinity),
        );
        if (!again) return undefined;
        const times = own(reads, callKey(again.call, news))?.times ?? 0;
        const { name: tool } = again.call;
        const metadata = { tool, count: times, limits: { limit, warnAt } };
        return {
          verdict: loopNudge('identical_reads', guardTexts.identicalReads(tool, times), false, metadata),
        };
      },
    },
  });

const tooMany = (name: string, times: number, limits: Config): Coded<Halt, 'identical_reads'> => ({
  ...loopHalt(
    'identical_reads',
    `The same ${name} was asked for ${times} times, and nothing has changed since.`,
    { tool: name, count: times, limits },
  ),
  reason: 'tool_error',
});

const pathOf = (target: string | undefined): string => (target === undefined ? '' : plainPath(target));
