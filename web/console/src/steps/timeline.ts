import type { CallInfo, StepInfo } from '../../../client/index.ts';
import { endOf } from './growth.ts';
import { kindWords } from './kinds.ts';
import { type Phase, phasesOf } from './phases.ts';

/** A stretch of time on the timeline. */
export interface Bar {
  readonly name: Phase['name'];
  /** Epoch ms. */
  readonly from: number;
  readonly ms: number;
}

/** A line of the timeline: a step, a wait after its reply, or one of its calls. */
export interface TimelineRow {
  readonly key: string;
  readonly kind: 'step' | 'wait' | 'call';
  readonly words: string;
  /** Without the waits of a step, which have a row of their own. */
  readonly ms: number;
  readonly bars: readonly Bar[];
  /** Set for a call. */
  readonly call?: CallInfo;
}

/** Ms above which a wait has a row. */
const WAIT_MS = 1_000;

/**
 * The lines of steps whose times are known, oldest first. Pure. Only the start of a batch of calls is recorded, so each
 * call is drawn from there, and a call of another agent over the time that the step waited.
 *
 * @param steps newest first
 */
export const timelineOf = (steps: readonly StepInfo[]): TimelineRow[] =>
  steps.toReversed().flatMap((step) => (step.startedAt === undefined ? [] : rowsOf(step, step.startedAt)));

function rowsOf(step: StepInfo, startedAt: string): TimelineRow[] {
  const key = `${step.runId}-${step.step}-${step.kind}-${step.slots[0] ?? startedAt}`;
  const toolsAt = step.toolsAt === undefined ? undefined : Date.parse(step.toolsAt);
  let at = Date.parse(startedAt) - (step.times.queueMs ?? 0);
  const bars: Bar[] = [];
  for (const { name, ms } of phasesOf(step)) {
    if (name === 'tools' && toolsAt !== undefined) at = toolsAt;
    bars.push({ name, from: at, ms });
    at += ms;
  }
  const wait = bars.find(({ name, ms }) => name === 'wait' && ms >= WAIT_MS);
  const own = bars.filter(({ name }) => name !== 'wait');
  const rest = bars.find(({ name }) => name === 'wait');
  /** Another agent works while the step rests. */
  const barOf = ({ child, durationMs: ms = 0 }: CallInfo): Bar =>
    child !== undefined && ms === 0 && rest
      ? rest
      : { name: 'tools', from: toolsAt ?? endOf(step) ?? at, ms };
  return [
    {
      ...{ key, kind: 'step', words: `${kindWords[step.kind]} ${step.step}`, bars: own },
      ms: own.reduce((sum, { ms }) => sum + ms, 0),
    },
    ...(wait
      ? [{ key: `${key}-wait`, kind: 'wait', words: 'Waiting', ms: wait.ms, bars: [wait] } as const]
      : []),
    ...step.calls.map((call): TimelineRow => {
      const { id, name, outcome, cached } = call;
      const bar = barOf(call);
      const words = `${name}${outcome === 'ok' ? '' : ` (${outcome})`}${cached ? ' (cached)' : ''}`;
      return { key: `${key}-${id}`, kind: 'call', words, ms: bar.ms, bars: [bar], call };
    }),
  ];
}

/** Maps a time to its place on the timeline, from 0 to 1. */
export type Scale = (at: number) => number;

/** The part of the working time that an idle time takes at most. */
const IDLE_SHARE = 0.04;

/**
 * A scale on which waits and idle times are shortened, since they can last for days and would leave no room for the
 * work. Pure.
 */
export function scaleOf(rows: readonly TimelineRow[]): Scale {
  const busy = mergedOf(rows.flatMap(({ bars }) => bars.filter(({ name }) => name !== 'wait')));
  const longestIdle = Math.max(1, IDLE_SHARE * busy.reduce((sum, { from, to }) => sum + to - from, 0));
  let place = 0;
  const marks: { at: number; place: number }[] = [];
  for (const { from, to } of busy) {
    const before = marks.at(-1);
    if (before) place += Math.min(from - before.at, longestIdle);
    marks.push({ at: from, place });
    place += to - from;
    marks.push({ at: to, place });
  }
  const all = Math.max(1, place);
  return (at) => {
    const next = marks.findIndex((mark) => mark.at >= at);
    const [left, right] = [marks[next - 1], marks[next]];
    if (!right) return next === -1 && marks.length > 0 ? 1 : 0;
    if (!left || right.at === left.at) return right.place / all;
    return (left.place + ((at - left.at) / (right.at - left.at)) * (right.place - left.place)) / all;
  };
}

function mergedOf(bars: readonly Bar[]): { from: number; to: number }[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, ms } of [...bars].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, from + ms);
    else merged.push({ from, to: from + ms });
  }
  return merged;
}
