import type { AgUiEvent, Frame } from '../../contract/events.ts';
import { byteLength } from '../plain/utf8.ts';
import { MAX_POST_BYTES } from '../ports/sockets.ts';

/** Room for the session's id and the JSON around a frame. */
const AROUND = 1_000;
/** How events that are too large are cut, the mildest way first: characters of each text (ids have fewer), entries of each list. */
const CUTS = [
  { chars: 4_000, entries: Number.POSITIVE_INFINITY },
  { chars: 1_000, entries: Number.POSITIVE_INFINITY },
  { chars: 300, entries: 1_000 },
  { chars: 300, entries: 100 },
  { chars: 300, entries: 20 },
  { chars: 300, entries: 5 },
  { chars: 120, entries: 5 },
] as const satisfies readonly Cut[];

/**
 * A frame as JSON that can be posted to a WebSocket. If its event is too large, its texts are cut, and its lists after them;
 * the log has all of it. It keeps its number and its type, so that a client misses neither a frame nor the end of a run.
 */
export function fitFrame(frame: Frame): string {
  const whole = JSON.stringify(frame);
  if (fits(whole)) return whole;
  // A part of a conversation would be taken for all of it.
  if (frame.event.type !== 'MESSAGES_SNAPSHOT')
    for (const how of CUTS) {
      const text = JSON.stringify({ ...frame, event: cut(frame.event, how) });
      if (fits(text)) return text;
    }
  return JSON.stringify({ ...frame, event: readInstead });
}

const fits = (text: string): boolean => byteLength(text) <= MAX_POST_BYTES - AROUND;

const readInstead: AgUiEvent = {
  type: 'CUSTOM',
  name: 'steploop.snapshot_needed',
  value: { why: 'an event is too large for one message: GET /sessions/{id}/messages' },
};

interface Cut {
  readonly chars: number;
  readonly entries: number;
}

/**
 * Stays whole: a run's answer, which was checked as a whole, and is short (`RunResult`). Questions to people
 * stay, with shorter texts.
 */
function cutKey(key: string, value: unknown, how: Cut): unknown {
  if (key === 'object') return value;
  return cut(value, key === 'interrupts' ? { ...how, entries: Number.POSITIVE_INFINITY } : how);
}

function cut(value: unknown, how: Cut): unknown {
  if (typeof value === 'string')
    return value.length <= how.chars
      ? value
      : `${value.slice(0, how.chars).toWellFormed()}… (${value.length - how.chars} more characters)`;
  if (Array.isArray(value)) return value.slice(0, how.entries).map((one) => cut(one, how));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutKey(key, one, how)]));
}
