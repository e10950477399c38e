/** The message of a tick to its agent. */

import { MAX_SCHEDULE_MESSAGE } from '../../../contract/schedules.ts';
import type { ScheduleMessage } from '../../define/schedule.ts';
import { durationText, LATE_MS } from '../../plain/durations.ts';
import { withoutSecrets } from '../../plain/redact.ts';
import { localTime } from '../../plain/zones.ts';
import type { Schedule, Tick } from '../../schedules/schedule.ts';

/** The text of a tick, or why there is none. */
export type TickText = { readonly text: string } | { readonly detail: string };

/** @param now epoch ms of the decision on the tick, so that each process that starts it says the same */
export function textOf(schedule: Schedule, tick: Tick, message: ScheduleMessage, now: number): TickText {
  const written = typeof message === 'string' ? { text: message } : called(schedule, tick, message, now);
  return 'detail' in written ? written : { text: `${headOf(schedule, tick, now)}\n${written.text}` };
}

/** `[schedule "report", due 2026-11-27 09:00 Europe/Berlin, 12 minutes late]` */
function headOf({ name, zone }: Schedule, { at, run }: Tick, now: number): string {
  const named = JSON.stringify(name);
  if (run !== undefined) return `[schedule ${named}, started by hand]`;
  const late = now - at < LATE_MS ? '' : `, ${durationText(now - at)} late`;
  return `[schedule ${named}, due ${localTime(at, zone).replace('T', ' ')} ${zone}${late}]`;
}

/** The function is user code: it may throw, or return anything. */
function called(
  { key, zone }: Schedule,
  { at }: Tick,
  message: Exclude<ScheduleMessage, string>,
  now: number,
): TickText {
  try {
    const returned: unknown = message({ ...key, at, zone, local: localTime(at, zone), lateMs: now - at });
    // An asynchronous function is none, and its later rejection must not end the function.
    if (returned instanceof Promise) returned.catch(() => undefined);
    const text = typeof returned === 'string' ? returned : factsIn(returned);
    if (text === undefined || text.trim() === '')
      return { detail: 'Its message must be text, or an object of facts.' };
    return text.length > MAX_SCHEDULE_MESSAGE
      ? { detail: `Its message has ${text.length} characters; ${MAX_SCHEDULE_MESSAGE} are allowed.` }
      : { text };
  } catch (error) {
    return { detail: `Its message threw: ${withoutSecrets(wordsOf(error))}`.slice(0, 1_000) };
  }
}

/** Facts as the model reads them. Anything but a plain object or a list is none. */
const factsIn = (returned: unknown): string | undefined =>
  typeof returned === 'object' && returned !== null && !(returned instanceof Promise)
    ? JSON.stringify(returned, undefined, 2)
    : undefined;

/** Any value may be thrown, even one that throws when it is read. */
function wordsOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'something without words';
  }
}
