import type { SessionKey } from '../../../contract/session.ts';
import type { EventStream } from '../../events/stream.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Invocation } from '../../ports/queue.ts';
import type { SessionView } from '../../ports/sessions.ts';

/** Why a step must stop what it is doing. */
export type StopReason = 'lost' | 'cancelled' | 'deadline';

/**
 * The hold of one invocation on its session: extends the lease and the message's invisibility, and watches for changes by
 * others. Clocks only affect how much work is wasted; the epoch keeps it safe.
 */
export interface Lease {
  /** Aborts when the step must stop; its reason is a {@link StopReason}. */
  readonly signal: AbortSignal;
  readonly stopped: () => StopReason | undefined;
  /** Revoked grants, as far as is known. */
  readonly revoked: () => readonly string[];
  /** Reads HEAD now; `stopped` then includes everything that was acknowledged before. Rejects if HEAD cannot be read. */
  look(): Promise<void>;
  /** Ends the heartbeat. */
  close(): Promise<void>;
}

/** The most serious reason counts, whichever came first. */
const weight: Record<StopReason, number> = { deadline: 1, cancelled: 2, lost: 3 };

/** Time before the platform's deadline at which a model call is cut, in ms (docs/design.md, step 3). */
const CUT_BEFORE_MS = 15_000;
/** How often a running step looks for a cancel and new subscribers, in ms: Stop works within 2 s. */
const WATCH_MS = 1_000;

export function holdLease(
  key: SessionKey,
  view: SessionView,
  invocation: Invocation,
  leaseMs: number,
  stream: EventStream,
  io: Pick<Ports, 'clock' | 'sessions' | 'queue'>,
): Lease {
  const { epoch } = view.fence;
  const stop = new AbortController();
  const closed = new AbortController();
  let why: StopReason | undefined;
  let { revoked } = view.fence;
  const stopFor = (reason: StopReason) => {
    if (why === undefined || weight[reason] > weight[why]) why = reason;
    stop.abort(why);
  };
  const everyFewSeconds = async (ms: number, look: () => Promise<void>) => {
    while (true) {
      await io.clock.sleep(ms, closed.signal);
      if (closed.signal.aborted) return;
      await look().catch(() => {});
    }
  };

  const heartbeat = everyFewSeconds(leaseMs / 3, async () => {
    const prolong = async () => {
      const held = await io.sessions.extend(key, epoch, io.clock.now() + leaseMs);
      if (held === 'lost') stopFor('lost');
    };
    await Promise.all([prolong(), io.queue.hide(invocation.message, hideMs(leaseMs))]);
  });
  const look = async () => {
    const seen = await io.sessions.watch(key);
    if (!seen || seen.epoch !== epoch) return stopFor('lost');
    if (seen.cancelGen > view.session.cancelSeen) stopFor('cancelled');
    revoked = seen.revoked;
    stream.subscribers(seen.subscribers);
  };
  const watch = everyFewSeconds(WATCH_MS, look);
  const deadline = io.clock
    .sleep(Math.max(0, invocation.deadlineAt - CUT_BEFORE_MS - io.clock.now()), closed.signal)
    .then(() => {
      if (!closed.signal.aborted) stopFor('deadline');
    });

  return {
    signal: stop.signal,
    stopped: () => why,
    revoked: () => revoked,
    look,
    async close() {
      closed.abort('closed');
      await Promise.all([heartbeat, watch, deadline]);
    },
  };
}

/** A message comes back a little after its lease has run out, so that its next receiver finds the session free. */
export const hideMs = (leaseMs: number): number => leaseMs + 2_000;
