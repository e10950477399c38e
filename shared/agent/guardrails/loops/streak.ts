import { defined } from '../../plain/defined.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall } from '../../session/slots.ts';
import type { Done } from '../guard.ts';
import { callKey, resultKey } from './fingerprint.ts';
import { outcomeKey } from './outcome.ts';

/** Identical calls with identical results in a row, as far as results are known. */
export type Streak = {
  readonly call: string;
  readonly result: string;
  readonly length: number;
  /** The step that was counted last, if equal calls of one batch count once. */
  readonly at?: number;
};

export const noStreak: Streak = { call: '', result: '', length: 0 };

/** The step that a streak counts once; undefined if every call counts. */
export const stepOf = ({ version }: Session, news: 'excused' | 'counted'): number | undefined =>
  news === 'excused' ? version : undefined;

/** The streak with one more executed call. A call that reports progress starts a new window. */
export function extend(streak: Streak, { call, result, tool }: Done, at?: number): Streak {
  if (result.progress !== undefined) return noStreak;
  const resultHash = at === undefined ? resultKey(result) : outcomeKey(call, result, tool);
  const callHash = callKey(call, newsOf(at));
  const same = streak.call === callHash && streak.result === resultHash;
  if (same && at !== undefined && streak.at === at) return streak;
  const length = same ? streak.length + 1 : 1;
  return { call: callHash, result: resultHash, length, ...defined({ at }) };
}

/** The length of the streak that a pending call would continue; 0 if it is another call. */
export const continuedBy = (streak: Streak, call: ToolCall): number =>
  streak.call === callKey(call, newsOf(streak.at)) ? streak.length : 0;

/** Only with `news: 'excused'` does a streak know its step. */
const newsOf = (at: number | undefined) => (at === undefined ? 'counted' : 'excused');
