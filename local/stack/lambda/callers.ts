/**
 * Shares this machine among the callers of the APIs. On AWS the requests of different callers run in different environments, and
 * no request waits for another caller's. Here they share a few cores and one emulated DynamoDB, so callers with many requests at once are slowed
 * while others call too. A caller alone is never slowed.
 */

export interface Callers {
  /** A call waits for an environment. */
  arrived(caller: string): void;
  /** How long the caller's next call must still wait, in ms; 0 = it may begin. Infinity: until a call has ended. */
  restOf(caller: string): number;
  /** A call begins. Returns what to do at its end. */
  began(caller: string): () => void;
}

/** Calls of one caller at once that slow no other caller: pages ask for a few things together. */
const AT_ONCE = 2;
/** How long a caller counts as there after its last call, in ms. */
const THERE_MS = 2_000;
/** After a call of a flood, no other begins for this many times as long as it took: floods get a quarter of the time. */
const RESTS = 3;
/** The longest rest, in ms: a long call has mostly waited. */
const LONGEST_REST_MS = 500;

interface Caller {
  waiting: number;
  running: number;
  lastAt: number;
}

export function createCallers(now: () => number = () => performance.now()): Callers {
  const known = new Map<string, Caller>();
  /** Calls of all floods together, so that a tenant that floods as several users gets no more. */
  const floods = { running: 0, restUntil: 0 };

  const callerOf = (name: string): Caller => {
    const found = known.get(name) ?? { waiting: 0, running: 0, lastAt: 0 };
    known.set(name, found);
    return found;
  };
  const isFlooding = ({ waiting, running }: Caller): boolean => waiting + running > AT_ONCE;
  /** Whether a caller is there that does not flood. Forgets those that are gone. */
  const isQuietOneThere = (): boolean => {
    let there = false;
    for (const [name, caller] of known) {
      if (caller.waiting + caller.running === 0 && now() - caller.lastAt > THERE_MS) known.delete(name);
      else there ||= !isFlooding(caller);
    }
    return there;
  };

  return {
    arrived(name) {
      const caller = callerOf(name);
      caller.waiting += 1;
      caller.lastAt = now();
    },
    restOf(name) {
      if (!isFlooding(callerOf(name)) || !isQuietOneThere()) return 0;
      return floods.running > 0 ? Number.POSITIVE_INFINITY : Math.max(0, floods.restUntil - now());
    },
    began(name) {
      const caller = callerOf(name);
      const isFlood = isFlooding(caller);
      const startedAt = now();
      caller.waiting -= 1;
      caller.running += 1;
      if (isFlood) floods.running += 1;
      return () => {
        caller.running -= 1;
        if (!isFlood) return;
        floods.running -= 1;
        floods.restUntil = now() + Math.min(LONGEST_REST_MS, RESTS * (now() - startedAt));
      };
    },
  };
}
