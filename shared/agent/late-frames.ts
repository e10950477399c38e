import type { Frame } from '../contract/events.ts';
import { epochStart } from './stream.ts';

/**
 * Leaves out what a dead attempt logged after its successor had looked: nobody has closed what it opened there. Such
 * frames are above what the takeover says it knew, and below its own epoch.
 */
export function withoutLate(frames: readonly Frame[]): Frame[] {
  const late = frames.flatMap(({ seq, event }) =>
    event.type === 'CUSTOM' && event.name === 'steploop.recovered'
      ? [{ above: event.value.upTo, below: epochStart(seq) }]
      : [],
  );
  if (late.length === 0) return [...frames];
  return frames.filter(({ seq }) => !late.some(({ above, below }) => seq > above && seq < below));
}
