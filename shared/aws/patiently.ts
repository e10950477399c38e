import { setTimeout as sleep } from 'node:timers/promises';
import { msLeft } from './deadline.ts';

/** How often a request is tried when the server or the network fails. */
const ATTEMPTS = 3;
/** Longest pause after the first failure, in ms; each further one may be twice as long. The SDK's own base is 100 ms. */
const PAUSE_MS = 200;
/** The same after `SlowDown` (503) and 429: the server asks for fewer requests. The SDK's base for them is 500 ms. */
const SLOWER_PAUSE_MS = 800;
/** Time that a further try must have, in ms. */
const WORTH_TRYING_MS = 1_000;

/** The parts that a test replaces. */
interface Waiting {
  sleep(ms: number): Promise<unknown>;
  /** In [0, 1). */
  random(): number;
  /** Time until this invocation is ended, in ms. */
  msLeft(): number;
}

/**
 * The answer to a request that may be repeated: the first one that is not a failure of the server, or the last. Between
 * tries it pauses, at random so that callers which failed together do not come back together, and no longer than the
 * invocation has time for. Rejects when no try got an answer.
 */
export async function patiently(
  ask: () => Promise<Response>,
  waiting: Waiting = { sleep, random: Math.random, msLeft },
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await ask().catch((error: unknown) => ({ error }));
    const status = 'error' in outcome ? undefined : outcome.status;
    if (status !== undefined && status < 500 && status !== 429) return outcome as Response;
    const pauseMs = pauseAfter(attempt, status, waiting.random());
    if (attempt === ATTEMPTS || pauseMs + WORTH_TRYING_MS > waiting.msLeft()) {
      if ('error' in outcome) throw outcome.error;
      return outcome;
    }
    // An unread body keeps its connection.
    if (!('error' in outcome)) await outcome.arrayBuffer().catch(() => undefined);
    await waiting.sleep(pauseMs);
  }
}

/** Between half of the longest pause and all of it. */
function pauseAfter(attempt: number, status: number | undefined, random: number): number {
  const base = status === 503 || status === 429 ? SLOWER_PAUSE_MS : PAUSE_MS;
  return Math.round(base * 2 ** (attempt - 1) * (0.5 + random / 2));
}
