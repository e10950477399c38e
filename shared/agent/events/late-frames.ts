import type { Frame } from '../../contract/events.ts';
import { epochStart } from './stream.ts';

/**
 * Leaves out what a dead attempt logged after its successor had looked: nobody has closed what it opened there. Such
 * frames are above what the takeover says it knew, and below its own epoch.
 */
export function withoutLate(frames: readonly Frame[]): Frame[] {
  const late: { above: number; below: number }[] = [];
  const isLate = ({ seq }: Frame) => late.some(({ above, below }) => seq > above && seq < below);
  for (const frame of [...frames].sort((a, b) => b.seq - a.seq)) {
    const { seq, event } = frame;
    if (event.type === 'CUSTOM' && event.name === 'steploop.recovered' && !isLate(frame))
      late.push({ above: event.value.upTo, below: epochStart(seq) });
  }
  return frames.filter((frame) => !isLate(frame));
}
