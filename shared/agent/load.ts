import type { Wake } from '../contract/queue.ts';
import type { SessionKey } from '../contract/session.ts';
import { hideMs } from './lease.ts';
import type { Pinned } from './pin.ts';
import type { ClaimResult, InboxEvent, Invocation, Ports, SessionView, StoredSlot } from './ports.ts';

/** Everything a step is a function of. */
export interface Loaded {
  readonly kind: 'claimed';
  readonly key: SessionKey;
  readonly view: SessionView;
  readonly pinned: Pinned;
  /** Slots of the context, and those an earlier owner wrote and did not commit. */
  readonly slots: readonly StoredSlot[];
  /** Events that wait in the inbox, oldest first. */
  readonly inbox: readonly InboxEvent[];
}

export type Unclaimed = Exclude<ClaimResult, { kind: 'claimed' }>;

/**
 * Claims the session and loads it, in one round trip when the wake's hints are right: the reads start beside
 * the claim. What the claim shows to be missing is read after it.
 */
export async function claimAndLoad(
  wake: Wake,
  invocation: Invocation,
  leaseMs: number,
  io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue'>,
): Promise<Loaded | Unclaimed> {
  const key = { tenant: wake.tenant, sessionId: wake.sessionId };
  const { from = 0, definition, inbox: announced = [] } = wake.hint ?? {};
  const [claim, hinted, pinnedByHint, inboxByHint] = await Promise.all([
    io.sessions.claim({
      key,
      invocationId: invocation.id,
      messageId: invocation.message.messageId,
      now: io.clock.now(),
      leaseMs,
    }),
    io.sessions.slots(key, from),
    definition ? io.sessions.definition(key.tenant, definition) : undefined,
    announced.length > 0 ? io.inbox.read(key, announced) : [],
    io.queue.hide(invocation.message, hideMs(leaseMs)),
  ]);
  if (claim.kind !== 'claimed') return claim;

  const { view } = claim;
  const { session, fence } = view;
  const missing = fence.inbox.filter((id) => !inboxByHint.some((event) => event.id === id));
  const [slots, pinned, rest] = await Promise.all([
    covers(hinted, session.contextStart, session.version)
      ? hinted
      : io.sessions.slots(key, session.contextStart),
    definition === session.definition && pinnedByHint
      ? pinnedByHint
      : io.sessions.definition(key.tenant, session.definition),
    missing.length > 0 ? io.inbox.read(key, missing) : [],
  ]);
  if (!pinned)
    throw new Error(`session ${key.sessionId}: its pinned definition ${session.definition} is missing`);

  return {
    kind: 'claimed',
    key,
    view,
    pinned,
    slots: slots.filter(({ slot }) => slot.n >= session.contextStart),
    inbox: [...inboxByHint, ...rest].filter((event) => fence.inbox.includes(event.id)).sort(byArrival),
  };
}

/** Whether the slots hold all of `from` to below `version`: a commit may have come between read and claim. */
function covers(slots: readonly StoredSlot[], from: number, version: number): boolean {
  const have = new Set(slots.map(({ slot }) => slot.n));
  for (let n = from; n < version; n++) if (!have.has(n)) return false;
  return true;
}

const byArrival = (a: InboxEvent, b: InboxEvent): number => a.at - b.at || (a.id < b.id ? -1 : 1);
