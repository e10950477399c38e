import type { Frame } from '../../contract/events.ts';
import type { Delivery } from '../../contract/queue.ts';
import type { SessionKey } from '../../contract/session.ts';
import { catchUp } from '../events/catch-up.ts';
import { allEnded } from '../plain/all-ended.ts';
import type { Ports, Settlement } from '../ports/ports.ts';
import type { Invocation } from '../ports/queue.ts';
import type { SessionView } from '../ports/sessions.ts';
import { MAX_DELAY_MS } from '../session/wake.ts';
import type { Destination, DestinationKind, OutboundStore, Progress } from './destination.ts';

/** Serves destinations of one kind. */
export interface Channel {
  /** Whether it has nothing to do, so that it need not be claimed. A wrong answer only costs time. */
  readonly isIdle?: (destination: Destination, view: SessionView) => boolean;
  /** Whether a destination that waits for its next try is tried now, because the session has news that may change the outcome. */
  readonly isPressing?: (destination: Destination, view: SessionView) => boolean;
  /**
   * Tells the destination everything new, in order, and says how far it came. A failure that may pass is an answer with
   * `againAt`, not an exception: a rejected delivery comes back a few times and becomes a dead letter.
   */
  readonly serve: (turn: Telling) => Promise<Served>;
}

/** A destination's turn: it is claimed, so no other delivery serves it. */
export interface Telling {
  readonly key: SessionKey;
  readonly destination: Destination;
  /** The committed state as it was when the turn began. */
  readonly view: SessionView;
  /** Frames after `after`, in order, including those of the last commit and those of a running step. */
  readonly frames: (after: number, limit: number) => Promise<Frame[]>;
  /** Stores progress within a turn, after an action that must not be repeated. `lost`: stop at once. */
  readonly advance: (patch: Partial<Progress>) => Promise<'advanced' | 'lost'>;
  /** Epoch ms by which the turn must have ended. */
  readonly deadlineAt: number;
}

/** The outcome of a turn. */
export interface Served {
  /** Progress to store when the destination is released. */
  readonly patch: Partial<Progress>;
  /** Epoch ms at which it wants another turn, however far away (a rate limit, a backoff). Nothing is tried before. */
  readonly againAt?: number;
}

export type Channels = Readonly<Partial<Record<DestinationKind, Channel>>>;

export type DeliveryPorts = Pick<Ports, 'clock' | 'sessions' | 'log' | 'queue'> & {
  readonly outbound: OutboundStore;
};

/** Time in ms before the platform's deadline by which a turn must end, so that its progress can be stored and the destination released. */
const TO_RELEASE_MS = 5_000;
/** More than the largest assumed difference between clocks of hosts, in ms. */
const SKEW_MS = 30_000;

/**
 * Handles one message of the delivery queue: each destination of the session is told what is new. Destinations do not wait for
 * each other. Rejects, after all have had their turn, if one of them could not be served; the message comes back.
 */
export async function deliver(
  delivery: Delivery,
  invocation: Invocation,
  channels: Channels,
  io: DeliveryPorts,
): Promise<Settlement> {
  const key = { tenant: delivery.tenant, sessionId: delivery.sessionId };
  const [view, destinations] = await Promise.all([io.sessions.read(key), io.outbound.list(key)]);
  if (!view) return 'ack';
  const meant = destinations.filter(
    ({ kind }) => delivery.kind === undefined || turnOf(kind) === turnOf(delivery.kind),
  );
  const served = meant.map(async (destination) => {
    const channel = channels[destination.kind];
    const waits =
      isOnItsWay(destination, io.clock.now()) && !(channel?.isPressing?.(destination, view) ?? false);
    const wanted = channel && !waits && !channel.isIdle?.(destination, view);
    if (wanted) await serve(key, destination.name, channel, invocation, io);
  });
  await allEnded(served);
  return 'ack';
}

/** Channels share the queue of callbacks. Slack may have its own. */
const turnOf = (kind: DestinationKind): DestinationKind => (kind === 'channel' ? 'callback' : kind);

/**
 * Claims the destination and gives it turns until no other delivery has knocked meanwhile. The lease lasts as long as this
 * invocation can: the message of a killed one does not come back sooner.
 */
async function serve(
  key: SessionKey,
  name: string,
  channel: Channel,
  { id: owner, deadlineAt }: Invocation,
  io: DeliveryPorts,
): Promise<void> {
  const now = io.clock.now();
  const claim = await io.outbound.claim(key, name, owner, Math.max(0, deadlineAt - now), now);
  if (claim.kind !== 'claimed') return;

  let patch: Partial<Progress> = {};
  for (let { destination } = claim; ; ) {
    const more = await turn(key, destination, channel, owner, deadlineAt - TO_RELEASE_MS, io);
    if (more === 'lost') return;
    // The progress of all turns, because a refused release has stored nothing.
    patch = { ...patch, ...more };
    const released = await io.outbound.release(key, name, owner, destination.knocks, patch);
    if (released.kind !== 'knocked') return;
    destination = { ...destination, ...patch, knocks: released.knocks };
  }
}

/** One turn of a claimed destination, or another wait for it. */
async function turn(
  key: SessionKey,
  destination: Destination,
  channel: Channel,
  owner: string,
  deadlineAt: number,
  io: DeliveryPorts,
): Promise<Partial<Progress> | 'lost'> {
  const now = io.clock.now();
  const view = destination.nextAt > now && !channel.isPressing ? undefined : await io.sessions.read(key);
  if (destination.nextAt > now && !(view && channel.isPressing?.(destination, view)))
    return waitFor(key, destination, destination.nextAt, io);
  const outOfTime = now >= deadlineAt;
  if (outOfTime) return waitFor(key, destination, now + 1_000, io);
  if (!view || destination.state === 'disabled') return {};

  let lost = false;
  let kept: Partial<Progress> = {};
  const served = await channel.serve({
    key,
    destination,
    view,
    frames: async (after, limit) => (await catchUp(key, after, limit, io)) ?? [],
    async advance(patch) {
      const advanced = await io.outbound.advance(key, destination.name, owner, patch);
      lost ||= advanced === 'lost';
      kept = { ...kept, ...patch };
      return advanced;
    },
    deadlineAt,
  });
  if (lost) return 'lost';
  const patch = { ...kept, ...served.patch };
  if (served.againAt === undefined) return { ...patch, nextAt: 0, hopAt: 0 };
  return { ...patch, ...(await waitFor(key, { ...destination, hopAt: 0 }, served.againAt, io)) };
}

/**
 * Sends the delivery that looks again at `nextAt`, or as near to it as a message can be delayed: a long wait takes many hops.
 * The message is sent first, because without it no delivery would look again.
 */
async function waitFor(
  key: SessionKey,
  destination: Destination,
  nextAt: number,
  io: Pick<DeliveryPorts, 'clock' | 'queue'>,
): Promise<Partial<Progress>> {
  const now = io.clock.now();
  if (isOnItsWay({ ...destination, nextAt }, now)) return { nextAt };
  const delayMs = Math.min(MAX_DELAY_MS, Math.max(0, nextAt - now));
  await io.queue.deliver({ ...key, kind: destination.kind }, delayMs);
  return { nextAt, hopAt: now + delayMs };
}

/**
 * Whether a delayed delivery is already on its way to a waiting destination, so that this one need not wait too. Otherwise each
 * commit of a session would send one more through all hops. Near that time this delivery may be the delayed one, by another
 * clock.
 */
const isOnItsWay = ({ nextAt, hopAt }: Destination, now: number): boolean =>
  nextAt > now && hopAt - SKEW_MS > now;
