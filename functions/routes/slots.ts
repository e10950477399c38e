import { slotsOf } from '../../shared/agent/lineage/slots.ts';
import type { SessionStore } from '../../shared/agent/ports/sessions.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import { PAGE_BYTES } from './page.ts';

/** Where slots are read from. */
export interface SlotSource {
  readonly sessions: Pick<SessionStore, 'slots'>;
  readonly session: Session;
}

/** All committed slots from `from` up to, but without, `below`. */
export async function between(
  { sessions, session }: SlotSource,
  from: number,
  below: number,
): Promise<Slot[]> {
  const slots: Slot[] = [];
  const end = Math.min(below, session.version);
  for (let at = Math.max(0, from); at < end; ) {
    const read = await slotsOf(session, at, sessions, { below: end, bytes: PAGE_BYTES });
    slots.push(...read.map(({ slot }) => slot));
    const last = read.at(-1)?.slot.n;
    if (last === undefined) break;
    at = last + 1;
  }
  return slots;
}
