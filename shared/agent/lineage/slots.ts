/**
 * Slots of a session, wherever they are stored. Code that may read before `ownStart` uses this and not the store, because a
 * fork has its first slots in another session.
 */

import type { SessionStore, SlotsPage, StoredSlot } from '../ports/sessions.ts';
import { ownStart } from '../session/origin.ts';
import type { Session } from '../session/session.ts';
import type { Slot } from '../session/slots.ts';

/** Slots that are stored together, in one session. */
interface Part extends Pick<Session, 'key'> {
  readonly from: number;
  readonly below: number;
  /** See `Packed.id`. */
  readonly packs?: string | undefined;
}

/** As {@link SessionStore.slots}; also slots that are not committed yet. */
export async function slotsOf(
  of: Pick<Session, 'key' | 'origin'>,
  from: number,
  sessions: Pick<SessionStore, 'slots'>,
  page?: SlotsPage,
): Promise<StoredSlot[]> {
  if (from >= ownStart(of)) return sessions.slots(of.key, from, page);
  const read: StoredSlot[] = [];
  let room = page?.bytes ?? Number.POSITIVE_INFINITY;
  for (const part of partsOf(of, from, page?.below ?? Number.POSITIVE_INFINITY)) {
    const slots = await sessions.slots(part.key, part.from, { below: part.below, bytes: room });
    read.push(...slots);
    if (page) room -= JSON.stringify(slots.map(({ slot }) => slot)).length;
    if (room <= 0) break;
  }
  return read;
}

/** As {@link SessionStore.packs}: committed slots from `from` up to `below`; those that a worker remembers cost nothing. */
export async function packedSlots(
  of: Pick<Session, 'key' | 'origin' | 'packed'>,
  from: number,
  below: number,
  sessions: Pick<SessionStore, 'packs'>,
): Promise<Slot[]> {
  const parts = partsOf(of, from, below);
  const read = parts.map((part) => sessions.packs(part.key, part.packs ?? NO_PACKS, part.from, part.below));
  return (await Promise.all(read)).flat();
}

/** The id of packs that do not exist: the slots are read one by one, and remembered. */
const NO_PACKS = 'none';

/** Where the slots from `from` up to `below` are stored, in order. */
function partsOf(
  { key, origin = [], packed }: Pick<Session, 'key' | 'origin'> & Partial<Pick<Session, 'packed'>>,
  from: number,
  below: number,
): Part[] {
  const { tenant } = key;
  const shared = origin.map(({ sessionId, below: end, packs }, i) => ({
    key: { tenant, sessionId },
    from: Math.max(from, origin[i - 1]?.below ?? 0),
    below: Math.min(below, end),
    packs,
  }));
  const own = { key, from: Math.max(from, ownStart({ origin })), below, packs: packed?.id };
  return [...shared, own].filter((part) => part.from < part.below);
}
