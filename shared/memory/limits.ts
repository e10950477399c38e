import type { Clock } from '../agent/ports/ports.ts';
import type { State } from '../contract/session.ts';
import { type HeldPlaces, type LimitOptions, type Limits, START_MS } from '../edge/limits.ts';
import type { Head } from './head.ts';
import { mapIn, pkOf, type Table } from './table.ts';

const MINUTE = 60_000;
/** Seconds until a refused session is to ask again: another session's run must end first, and that time is unknown. */
const ASK_AGAIN_SECONDS = 5;
/** The time of a place whose start is over. */
const OVER = 0;

/** Limits of a tenant in memory. Each operation is one synchronous critical section over the HEADs of `table`. */
export function createLimits(
  table: Pick<Table, 'heads'>,
  clock: Pick<Clock, 'now'>,
  { messagesPerMinute, sessionsAtOnce }: LimitOptions,
): Limits & HeldPlaces {
  const counts = new Map<string, number>();
  /** When each session's last start was admitted, by tenant. */
  const places = new Map<string, Map<string, number>>();
  return {
    async message(tenant) {
      const now = clock.now();
      const minute = Math.floor(now / MINUTE);
      const count = counts.get(`${tenant}#${minute}`) ?? 0;
      if (count >= messagesPerMinute)
        return { retryAfterSeconds: Math.ceil(((minute + 1) * MINUTE - now) / 1000) };
      counts.set(`${tenant}#${minute}`, count + 1);
      return 'admitted';
    },

    async session({ tenant, sessionId }) {
      const now = clock.now();
      const held = mapIn(places, tenant);
      if (!held.has(sessionId) && held.size >= sessionsAtOnce) {
        for (const [id, since] of held) {
          const head = table.heads.get(pkOf({ tenant, sessionId: id }));
          if (!isRunning(head, now) && !isOnItsWay(head, since, now)) held.delete(id);
        }
        if (held.size >= sessionsAtOnce) return { retryAfterSeconds: ASK_AGAIN_SECONDS };
      }
      held.set(sessionId, now);
      return { since: now };
    },

    async forget({ tenant, sessionId }) {
      mapIn(places, tenant).delete(sessionId);
    },

    async giveBack({ tenant, sessionId }, { since }) {
      const held = mapIn(places, tenant);
      if (held.get(sessionId) === since) held.set(sessionId, OVER);
    },
  };
}

/** The session wants a wake, and not only to give up waiting for a person. */
const isRunning = (head: Head | undefined, now: number): boolean =>
  head?.dueAt !== undefined &&
  (head.dueAt <= now || head.session.state !== ('waiting_for_input' satisfies State));

/** A start that was admitted recently, and has not become a run. */
const isOnItsWay = (head: Head | undefined, since: number, now: number): boolean =>
  now - since < START_MS && !((head?.session.run?.startedAt ?? 0) >= since);
