import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { callKey, resultKey } from './fingerprint.ts';

/** Identical calls with identical results in a row, as far as results are known (L6). */
export type Streak = {
  readonly call: string;
  readonly result: string;
  readonly length: number;
  /** The step that was counted last, where equal calls of one batch count once. */
  readonly at?: number;
};

export const noStreak: Streak = { call: '', result: '', length: 0 };

/** The step that a streak counts in once; undefined where every call counts. */
export const stepOf = ({ version }: Session, news: 'excused' | 'counted'): number | undefined =>
  news === 'excused' ? version : undefined;

/** The streak with one more executed call. A call that says that it made progress begins a new window (L11). */
export function extend(streak: Streak, call: ToolCall, result: ToolResult, at?: number): Streak {
  if (result.progress !== undefined) return noStreak;
  const [callHash, resultHash] = [callKey(call, newsOf(at)), resultKey(result)];
  const same = streak.call === callHash && streak.result === resultHash;
  if (same && at !== undefined && streak.at === at) return streak;
  const length = same ? streak.length + 1 : 1;
  return { call: callHash, result: resultHash, length, ...(at !== undefined && { at }) };
}

/** The streak that a pending call would go on with; 0 when it is another call. */
export const continuedBy = (streak: Streak, call: ToolCall): number =>
  streak.call === callKey(call, newsOf(streak.at)) ? streak.length : 0;

/** Only where news is excused a streak knows its step. */
const newsOf = (at: number | undefined) => (at === undefined ? 'counted' : 'excused');
