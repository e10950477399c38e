import type { Frame } from '../../contract/events.ts';
import { isProgress } from '../../contract/strict.ts';

/**
 * Leaves out frames that a dead attempt logged after its successor had read the log: the successor did not close what they
 * opened, and has told their content again. Each frame names the previous one, so there is one sequence from the newest frame
 * back; frames between two of its members belong to another.
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

/** The progress of a waiting call is told beside the sequence, after the same frame as the first one of the next step (`beside.ts`). */
const isBeside = ({ event, prev }: Frame, before: number): boolean => isProgress(event) && prev <= before;
