/** Texts about timers, for people and the model (docs/timers.md). */

import { durationText, LATE_MS } from '../../plain/durations.ts';
import { momentText } from '../../plain/moment-text.ts';
import type { Awaits } from '../../session/slots.ts';
import { visible } from '../../tools/visible.ts';

export type Timer = Extract<Awaits, { kind: 'timer' }>;

/** Bytes of the model's reason that people see. */
const MAX_REASON = 300;

/** For people, while it runs. */
export const untilText = ({ until, zone, reason }: Timer): string =>
  `Waiting until ${momentText(until, zone)}${reason === undefined ? '' : `: ${visible(reason, { room: MAX_REASON }).text}`}`;

/** For the model, when the time has come. @param now epoch ms */
export function overText({ until, zone }: Timer, now: number): string {
  const late = now - until;
  const said = late < LATE_MS ? 'on time' : `${durationText(late)} late`;
  return `The wait is over: it was until ${momentText(until, zone)}, and you go on ${said}. It is now ${momentText(now, zone)}.`;
}

/** For the model, when something has come in first. @param now epoch ms */
export const endedEarly = ({ until, zone }: Timer, now: number): string =>
  `The wait has ended early, because something has come in that follows. It was until ${momentText(until, zone)}, ${durationText(until - now)} from now. It is now ${momentText(now, zone)}. Read what has come in; wait again if that is still right.`;
