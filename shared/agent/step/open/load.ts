import type { Wake } from '../../../contract/queue.ts';
import type { SessionKey } from '../../../contract/session.ts';
import { withStored } from '../../config/resolve.ts';
import { packedSlots, slotsOf } from '../../lineage/slots.ts';
import { memoize } from '../../plain/memoize.ts';
import { Superseded } from '../../plain/superseded.ts';
import type { InboxEvent } from '../../ports/inbox.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Invocation } from '../../ports/queue.ts';
import type { ClaimResult, SessionView, StoredSlot } from '../../ports/sessions.ts';
import { hasReport } from '../../session/background.ts';
import type { Pinned } from '../../session/pinned.ts';
import { firstRead, type Session, tailStart, withDefaults } from '../../session/session.ts';
import type { Slot } from '../../session/slots.ts';
import type { Timing } from '../../session/timing.ts';
import { timingOf } from './timing.ts';
import { withoutWithdrawn } from './withdrawn.ts';

/** Everything that a step is a function of. */
export interface Loaded {
  readonly kind: 'claimed';
  readonly key: SessionKey;
  readonly view: SessionView;
  readonly pinned: Pinned;
  /** The session's own limits, if `pinned` has lower ones: those that are stored. */
  readonly own?: Pick<Pinned, 'limits' | 'guardrails'>;
  /** Slots of the context, and those that an earlier owner wrote and did not commit. */
  readonly slots: readonly Slot[];
  /** Slots before those, if people may have to be shown the whole conversation; undefined if they are too many for that. */
  readonly before: readonly StoredSlot[] | undefined;
  /** Events that wait in the inbox, oldest first. */
  readonly inbox: readonly InboxEvent[];
  /** `approvals.answerers` of the agent as it is deployed; absent if everyone may answer whose message the session takes. */
  readonly answerers?: readonly string[];
  /** Times of this claim. */
  readonly timing: Timing;
}

export type Unclaimed = Exclude<ClaimResult, { kind: 'claimed' }>;

/**
 * Claims the session and loads it, in one round trip if the wake's hints are right: the reads start in parallel with the claim.
 * Anything that the claim shows to be missing is read afterwards, and overflow events move into the inbox.
 *
 * Slots and events that were read in parallel count only if the version is still the hinted one and this is the first attempt at the step:
 * between read and claim another owner may have written a slot, or incorporated an event. A definition never changes. Only the
 * tail of the context comes with the wake or is read in parallel: the rest is in packs, which a warm worker remembers.
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
  // A step that left its rest to this one, or failed, has not changed the version.
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
    pinned: filled(pinned),
    slots,
    before: await slotsBefore(view, slots, io),
    inbox: withoutWithdrawn(
      [...inbox, ...rest]
        .filter((event) => fence.inbox.includes(event.id))
        .map((event) => withoutMoot(event, session))
        .sort(byArrival),
      slots.filter(({ n }) => n >= session.version),
      isFirst,
    ),
    timing: timingOf(view, wake, invocation, startedAt, io.clock.now()),
  };
}

/** A report that its session has read, or whose call has another result by now, counts as incorporated. */
const withoutMoot = (event: InboxEvent, session: Session): InboxEvent =>
  event.report && hasReport(session, event.report) ? { ...event, done: true } : event;

/** The same object for the same definition, so that what a step derives from it (`memoize`) is derived once per environment. */
const filled = memoize((pinned: Pinned) => withStored(pinned));

/** The slots that were read, and the first number that was asked for. */
interface Tail {
  readonly from: number;
  readonly slots: readonly Slot[];
}

/**
 * The newest slots as known when the claim is made: those in the wake, or those that were read in parallel. The wake has all of
 * them if it belongs to the last commit and no other owner has been at the session since.
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
 * The slots that a step goes by. While an owner stood still, another one may have written some and begun what they ask for. An
 * owner that finds such slots was presumed dead, and says nothing about their calls.
 */
function ownSlots({ session, fence }: SessionView, stored: readonly StoredSlot[]): Slot[] {
  if (stored.some(({ slot, epoch }) => slot.n >= session.version && epoch > fence.epoch))
    throw new Superseded();
  return stored.map(({ slot }) => slot);
}

/**
 * Slots from the first that the step needs: from packs, from the origin of a fork, and the tail, which is read now unless it
 * was read in parallel.
 */
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
 * Whether committed slots are missing. Only the deletion of a session removes slots, and a deleted session has no owner. An
 * owner that finds a hole was therefore presumed dead, and must not ask a model with what is left.
 */
const hasHole = (slots: readonly Slot[], first: number, version: number): boolean =>
  slots.filter(({ n }) => n < version).length < version - first;

/** Bytes of slots before the context that are read for a snapshot. Clients read a larger conversation themselves. */
const MOST_BEFORE = 120_000;

/**
 * Slots that a step may have to show and that the model does not read. Only a step that takes over shows them, so only it reads
 * them: the cost of any other step does not depend on their number.
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
