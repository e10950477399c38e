import type { Frame } from '../../contract/events.ts';
import { isProgress } from '../../contract/strict.ts';

/**
 * Leaves out what a dead attempt logged after its successor had looked: nobody has closed what it opened there, and what it told
 * has been told anew. Each frame names the one before it, so from the newest one back there is one line; what stands between
 * two frames of it is of another.
 */
export function withoutLate(frames: readonly Frame[]): Frame[] {
  const line: Frame[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const frame of [...frames].sort((a, b) => b.seq - a.seq)) {
    if (frame.seq > before && !isBeside(frame, before)) continue;
    line.push(frame);
    before = Math.min(before, frame.prev);
  }
  return line.reverse();
}

/** How far a call is that waits is told beside the line, after the same frame as the next step's first one (`beside.ts`). */
const isBeside = ({ event, prev }: Frame, before: number): boolean => isProgress(event) && prev <= before;
