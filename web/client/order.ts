/**
 * Puts the frames of one session in order. Pure: what arrives over the WebSocket and what is read over HTTP
 * both go through here, in any order and any number of times.
 *
 * 1. A frame whose `seq` is not above the last one delivered is a duplicate, or of an attempt that died.
 * 2. A frame whose `prev` is above it tells of a gap: it is held until the gap is filled.
 * 3. Any other frame is delivered. When its `prev` is below the last one, what came between was an attempt
 *    that died: `shared/contract/strict.ts` takes it back, and the server says so with `steploop.aborted` and a
 *    snapshot.
 */

import type { Frame } from '../../shared/contract/events.ts';

export interface Order {
  /** Seq of the last frame delivered: the cursor. */
  readonly last: number;
  /** Frames beyond a gap, by rising seq. */
  readonly held: readonly Frame[];
}

export const startAt = (cursor: number): Order => ({ last: cursor, held: [] });

/** Takes frames in and says which may be delivered now. */
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
  // A frame delivered after one that is held is of a newer lineage: what is held below it is dead.
  return { order: { last, held: held.filter(({ seq }) => seq > last) }, deliver };
}

/** Gives a gap up: the next held frame counts as the one after it. */
export function skipGap(order: Order): { order: Order; deliver: Frame[] } {
  const [next] = order.held;
  if (!next) return { order, deliver: [] };
  return take({ last: next.prev, held: order.held }, []);
}
