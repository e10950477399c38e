import { defined } from '../../shared/agent/plain/defined.ts';
import type { StoredSchedule, TickRecord } from '../../shared/agent/schedules/schedule.ts';
import type { ScheduleInfo, TickInfo } from '../../shared/contract/schedules.ts';

const time = (at: number): string => new Date(at).toISOString();

/** A schedule, as its readers see it. */
export function scheduleShown({ schedule, course }: StoredSchedule): ScheduleInfo {
  const { key, name, agent, when, zone, message, into, overlap, catchUp, budget, callbackUrl } = schedule;
  const { state, why, nextAt, open, last, spent } = course;
  return {
    ...{ scheduleId: key.id, name, agent, when, zone },
    ...defined({ message }),
    ...{ into, overlap, catchUp },
    ...defined({ budget, callbackUrl }),
    ...{ declared: schedule.declared, createdBy: schedule.speaker.by, createdAt: time(schedule.createdAt) },
    state,
    ...defined({ why }),
    ...(schedule.until !== undefined && { until: time(schedule.until) }),
    ...(state === 'active' && nextAt !== undefined && { nextAt: time(nextAt) }),
    waiting: open.length,
    ...(last && { last: { at: time(last.at), sessionId: last.sessionId } }),
    ...(spent && { spentUsd: spent.usd }),
  };
}

/** The outcome of a tick, as its readers see it. */
export const tickShown = (record: TickRecord): TickInfo => {
  const { id, at, decidedAt, outcome, sessionId, detail, missedUntil } = record;
  return {
    ...{ tickId: id, at: time(at), decidedAt: time(decidedAt), outcome },
    ...defined({ sessionId, detail }),
    ...(missedUntil !== undefined && { missedUntil: time(missedUntil) }),
  };
};
