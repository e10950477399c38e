/**
 * Puts the frames of one session in order. Pure: frames from the WebSocket and frames read over HTTP both
 * pass through here, in any order and any number of times.
 *
 * 1. A frame whose `seq` is not above the last one delivered is a duplicate, or comes from an attempt that died.
 * 2. A frame whose `prev` is above the last one delivered follows a gap: it is held until the gap is filled.
 * 3. Any other frame is delivered. If its `prev` is below the last one, the frames in between came from an
 *    attempt that died: `shared/contract/strict.ts` takes them back, and the server announces it with
 *    `steploop.aborted` and a snapshot.
 */

import type { Frame } from '../../shared/contract/events.ts';

export interface Order {
  /** Seq of the last frame delivered: the cursor. */
  readonly last: number;
  /** Frames after a gap, by rising seq. */
  readonly held: readonly Frame[];
}

export const startAt = (cursor: number): Order => ({ last: cursor, held: [] });

/** Takes in frames and returns those that may be delivered now. */
export function take(order: Order, frames: readonly Frame[]): { order: Order; deliver: Frame[] } {
  const waiting = [...order.held, ...frames].sort((a, b) => a.seq - b.seq);
  const deliver: Frame[] = [];
  const held: Frame[] = [];
  let { last } = order;
  for (const frame of waiting) {
    const known = frame.seq <= last || frame.seq === held.at(-1)?.seq;
    if (known) continue;
    if (frame.prev > last) {
      held.push(frame);
      continue;
    }
    deliver.push(frame);
    last = frame.seq;
  }
  // A frame delivered after a held one is of a newer lineage: held frames below it are dead.
  return { order: { last, held: held.filter(({ seq }) => seq > last) }, deliver };
}

/** Gives up a gap: the next held frame counts as the next one. */
export function skipGap(order: Order): { order: Order; deliver: Frame[] } {
  const [next] = order.held;
  if (!next) return { order, deliver: [] };
  return take({ last: next.prev, held: order.held }, []);
}
