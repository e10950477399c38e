import { byteLength } from '../../plain/utf8.ts';
import type { Ports } from '../../ports/ports.ts';
import { MAX_PACK_BYTES } from '../../ports/sessions.ts';
import { type Packed, type Session, tailStart } from '../../session/session.ts';
import type { Slot } from '../../session/slots.ts';
import type { Loaded } from './load.ts';

/**
 * Bytes of JSON of unpacked committed slots above which a step packs them. Every step reads the unpacked ones with strong
 * consistency: 4 units. A larger pack would cost less to write (here 5 KB of prose, so 6 units in some steps), and more to read
 * until it exists.
 */
export const PACK_ABOVE = 16_000;

/** A piece of a session that goes into a pack, and the slot below which everything is packed then. */
export interface Cut {
  /** Empty if the next slot is too large for a pack: it is read as it is. */
  readonly slots: readonly Slot[];
  readonly below: number;
}

/**
 * Writes a pack of the slots that were committed at the claim, if they are enough for one, and says how far the packs go then.
 * A failed write changes nothing: the next step tries again. After a crash the same pack is written again.
 */
export async function packTail(
  { key, view, slots }: Pick<Loaded, 'key' | 'view' | 'slots'>,
  { sessions, ids }: Pick<Ports, 'sessions' | 'ids'>,
  above = PACK_ABOVE,
): Promise<Packed | undefined> {
  const { session } = view;
  const cut = cutOf(tailOf(session, slots), above);
  if (!cut) return undefined;
  const packed = { id: session.packed?.id ?? ids.next(), below: cut.below };
  if (cut.slots.length === 0) return packed;
  return sessions.putPack(key, packed.id, cut.slots).then(
    () => packed,
    () => undefined,
  );
}

/** Committed slots that a step needs and that are in no pack. */
function tailOf(session: Session, slots: readonly Slot[]): Slot[] {
  const from = tailStart(session);
  return slots.filter(({ n }) => n >= from && n < session.version);
}

/**
 * The part of a tail that is packed: everything that fits, up to a slot with a reply, so that the model's view of a pack ends
 * with a message of its own.
 */
export function cutOf(tail: readonly Slot[], above: number): Cut | undefined {
  const sizes = tail.map(bytesOf);
  const [first] = tail;
  if (!first || sum(sizes) <= above) return undefined;
  if ((sizes[0] ?? 0) > MAX_PACK_BYTES) return { slots: [], below: first.n + 1 };
  const fitting = tail.slice(0, fittingIn(sizes));
  const end = fitting.findLastIndex((slot) => slot.kind === 'model' && slot.reply) + 1;
  if (end === 0 && fitting.length === tail.length) return undefined;
  const slots = end > 0 ? fitting.slice(0, end) : fitting;
  return { slots, below: (slots.at(-1) ?? first).n + 1 };
}

/** How many of the first slots fit into one pack. */
function fittingIn(sizes: readonly number[]): number {
  let room = MAX_PACK_BYTES;
  const over = sizes.findIndex((size) => {
    room -= size;
    return room < 0;
  });
  return over === -1 ? sizes.length : over;
}

/** With the comma after it. */
const bytesOf = (slot: Slot): number => byteLength(JSON.stringify(slot)) + 1;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
