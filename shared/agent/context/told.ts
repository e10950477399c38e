import type { SaidContext } from '../config/said.ts';
import { dateIn } from '../plain/moment-text.ts';
import type { SaidBy, SentFacts } from '../session/said.ts';
import type { InputTurn } from '../session/slots.ts';

/** Returns the line that goes before a turn; undefined if there is none. Called for each turn of a context once, in order. */
export type Teller = (turn: InputTurn) => string | undefined;

const nothing: Teller = () => undefined;

/**
 * Tells a model when and by whom messages were said: one line before a message, if it differs from the line before. So it is a
 * function of the turns alone, and costs nothing while the same person goes on writing on the same day.
 *
 * @param how the session's pinned setting; undefined for sessions from before this setting existed
 */
export function tellerOf(how: SaidContext | undefined): Teller {
  if (!how) return nothing;
  let last: string | undefined;
  const speakers = new Set<string>();
  return ({ said }) => {
    if (!said) return undefined;
    if (said.by) speakers.add(said.by.subject);
    const line = lineOf(said, how, speakers.size > 1);
    if (line === undefined || line === last) return undefined;
    last = line;
    return line;
  };
}

/** The line of one message; undefined if it would say nothing. */
export function lineOf(said: SentFacts, how: SaidContext, several: boolean): string | undefined {
  const when = how.time === 'off' ? [] : [whenOf(said, how.time)];
  const who = said.by && whoIn(said.by, how.caller, several);
  const told = [...when, ...(who ? [`by ${who}`] : [])];
  return told.length > 0 ? `[said ${told.join(', ')}]` : undefined;
}

function whoIn(by: SaidBy, caller: SaidContext['caller'], several: boolean): string | undefined {
  const { subject, kind, name, roles = [] } = by;
  if (caller === false || (caller === 'auto' && name === undefined && !several)) return undefined;
  const as = kind === 'webhook' || kind === 'schedule' || kind === 'key' ? `${kind} ` : '';
  return `${as}"${name ?? subject}"${roles.length > 0 ? ` (${roles.join(', ')})` : ''}`;
}

/** `Fri 27 Nov 2026, Pacific/Auckland`, by the clock of the zone. */
function whenOf({ local, zone }: SentFacts, time: 'date' | 'minute'): string {
  return `${dateIn(local)}${time === 'minute' ? `, ${local.slice(11)}` : ''}, ${zone}`;
}

/** Lines of a text that begin like one of ours. */
const LOOKS_LIKE_OURS = /(^|[\n\r\v\f\u0085\u2028\u2029])(?=[^\S\n]*\[(?:said|steploop|loop-guard)\b)/gi;

/**
 * The text of a message as the model reads it: a line that looks like one of ours is marked as a quotation. Some models receive
 * the blocks of one message as one text, so a block of its own is no proof.
 */
export const withoutLookAlikes = (text: string): string => text.replace(LOOKS_LIKE_OURS, '$1> ');
