import type { Wake } from '../../../contract/queue.ts';
import type { SessionKey } from '../../../contract/session.ts';
import { withStored } from '../../config/resolve.ts';
import { packedSlots, slotsOf } from '../../lineage/slots.ts';
import { Superseded } from '../../plain/superseded.ts';
import type { InboxEvent } from '../../ports/inbox.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Invocation } from '../../ports/queue.ts';
import type { ClaimResult, SessionView, StoredSlot } from '../../ports/sessions.ts';
import type { Pinned } from '../../session/pinned.ts';
import { firstRead, tailStart, withDefaults } from '../../session/session.ts';
import type { Slot } from '../../session/slots.ts';
import type { Timing } from '../../session/timing.ts';
import { timingOf } from './timing.ts';

/** Everything a step is a function of. */
export interface Loaded {
  readonly kind: 'claimed';
  readonly key: SessionKey;
  readonly view: SessionView;
  readonly pinned: Pinned;
  /** Slots of the context, and those an earlier owner wrote and did not commit. */
  readonly slots: readonly Slot[];
  /** Slots before those, when people may have to be shown the whole conversation; undefined when they are too many for that. */
  readonly before: readonly StoredSlot[] | undefined;
  /** Events that wait in the inbox, oldest first. */
  readonly inbox: readonly InboxEvent[];
  /** Of this claim. */
  readonly timing: Timing;
}

export type Unclaimed = Exclude<ClaimResult, { kind: 'claimed' }>;

/**
 * Claims the session and loads it, in one round trip when the wake's hints are right: the reads start beside
 * the claim. What the claim shows to be missing is read after it, and what waits for room in the inbox gets it.
 *
 * What was read beside the claim counts only when the version is still the hinted one and nobody has been at this step before:
 * between read and claim another owner may have written a slot, or incorporated an event. A
 * definition never changes. Of the context only the tail is brought by the wake or read beside the claim: the rest is in packs, which a warm worker
 * remembers.
 */
export async function claimAndLoad(
  wake: Wake,
  invocation: Invocation,
  leaseMs: number,
  io: Pick<Ports, 'clock' | 'sessions' | 'inbox'>,
): Promise<Loaded | Unclaimed> {
  const key = { tenant: wake.tenant, sessionId: wake.sessionId };
  const { hint, recent } = wake;
  const startedAt = io.clock.now();
  const [claim, slotsBeside, pinnedBeside, inboxBeside] = await Promise.all([
    io.sessions.claim({
      key,
      invocationId: invocation.id,
      messageId: invocation.message.messageId,
      now: startedAt,
      leaseMs,
    }),
    hint && !recent ? io.sessions.slots(key, hint.from) : [],
    hint ? io.sessions.definition(key.tenant, hint.definition) : undefined,
    hint?.inbox ? io.inbox.read(key, hint.inbox) : [],
  ]);
  if (claim.kind !== 'claimed') return claim;

  const fence = claim.view.fence.overflow ? await io.inbox.refill(key, claim.view.fence) : claim.view.fence;
  const view = { ...claim.view, fence, session: withDefaults(claim.view.session) };
  const { session } = view;
  // Who has left the rest of a step to this one, or tried in vain, has kept the version.
  const isFirst = view.attempts === 1 && (session.run?.retries ?? 0) === 0;
  const current = hint?.version === session.version && isFirst;
  const inbox = current ? inboxBeside : [];
  const missing = fence.inbox.filter((id) => !inbox.some((event) => event.id === id));
  const tail = current ? tailBeside(wake, view, slotsBeside) : undefined;
  const [slots, pinned, rest] = await Promise.all([
    contextOf(view, tail, io),
    hint?.definition === session.definition && pinnedBeside
      ? pinnedBeside
      : io.sessions.definition(key.tenant, session.definition),
    missing.length > 0 ? io.inbox.read(key, missing) : [],
  ]);
  if (!pinned) {
    throw new Error(`session ${key.sessionId}: its pinned definition ${session.definition} is missing`);
  }
  return {
    kind: 'claimed',
    key,
    view,
    pinned: withStored(pinned),
    slots,
    before: await slotsBefore(view, slots, io),
    inbox: [...inbox, ...rest].filter((event) => fence.inbox.includes(event.id)).sort(byArrival),
    timing: timingOf(view, wake, invocation, startedAt, io.clock.now()),
  };
}

/** What has been read of a session's slots, and from where on. */
interface Tail {
  readonly from: number;
  readonly slots: readonly Slot[];
}

/**
 * What is known of the newest slots when the claim is made: those that the wake has brought, or those that were read beside it. A wake
 * brings all there is if it is of the last commit, and nobody has been at the session since who might have left more.
 */
function tailBeside(
  { hint, recent }: Wake,
  view: SessionView,
  slotsBeside: readonly StoredSlot[],
): Tail | undefined {
  if (!hint || hint.from > tailStart(view.session)) return undefined;
  if (!recent) return { from: hint.from, slots: ownSlots(view, slotsBeside) };
  return recent.epoch + 1 === view.fence.epoch
    ? { from: hint.from, slots: recent.slots as unknown as Slot[] }
    : undefined;
}

/**
 * The slots that a step goes by. Of an owner that has stood still another one may have put some since, and begun what they ask for:
 * whoever finds these has been taken for dead, and says nothing of their calls.
 */
function ownSlots({ session, fence }: SessionView, stored: readonly StoredSlot[]): Slot[] {
  if (stored.some(({ slot, epoch }) => slot.n >= session.version && epoch > fence.epoch))
    throw new Superseded();
  return stored.map(({ slot }) => slot);
}

/** Slots from the first that the step needs: those of packs, and of who this session is a fork of, and the tail, which is read now unless it was beside the claim. */
async function contextOf(
  view: SessionView,
  beside: Tail | undefined,
  { sessions }: Pick<Ports, 'sessions'>,
): Promise<Slot[]> {
  const { session } = view;
  const first = firstRead(session);
  const from = beside?.from ?? tailStart(session);
  const [before, tail] = await Promise.all([
    first < from ? packedSlots(session, first, from, sessions) : [],
    beside?.slots ?? sessions.slots(session.key, from).then((stored) => ownSlots(view, stored)),
  ]);
  const slots = [...before, ...tail.filter(({ n }) => n >= first)];
  if (hasHole(slots, first, session.version)) throw new Superseded();
  return slots;
}

/**
 * Whether committed slots are missing. Nobody takes one away but who deletes a session, and that nobody owns: whoever finds a hole has been taken
 * for dead, and asks no model over what is left.
 */
const hasHole = (slots: readonly Slot[], first: number, version: number): boolean =>
  slots.filter(({ n }) => n < version).length < version - first;

/** Bytes of slots before the context that are read for a snapshot: one that is larger is read by clients themselves. */
const MOST_BEFORE = 120_000;

/**
 * What a step may have to show and the model does not read. Only who takes over from another one shows it, so only they read
 * it: any other step costs the same however much there is.
 */
async function slotsBefore(
  { session, attempts }: SessionView,
  slots: readonly Slot[],
  { sessions }: Pick<Ports, 'sessions'>,
): Promise<Loaded['before']> {
  const { version } = session;
  const from = firstRead(session);
  const mayTell = attempts > 1 || slots.some(({ n }) => n >= version);
  if (from === 0 || !mayTell) return [];
  const before = await slotsOf(session, 0, sessions, { below: from, bytes: MOST_BEFORE });
  return before.length === from ? before : undefined;
}

const byArrival = (a: InboxEvent, b: InboxEvent): number => a.at - b.at || (a.id < b.id ? -1 : 1);
