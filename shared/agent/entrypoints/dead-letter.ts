import type { Wake } from '../../contract/queue.ts';
import type { Ports, Settlement } from '../ports/ports.ts';
import type { Invocation } from '../ports/queue.ts';
import { settleUnclaimed } from '../step/end/commit.ts';
import type { StepOptions } from '../step/open/options.ts';
import type { runStep } from '../step/run-step.ts';

/** Trips of one wake through the dead-letter queue before its run is given up. */
const MAX_DEAD_LETTERS = 2;
/** Pause in ms, in addition to a lease, before a wake is retried, so that a failed service can recover. */
const PAUSE_MS = 30_000;

/**
 * Handles a wake that ended in the dead-letter queue because no step settled it. Does nothing if its session is at rest,
 * retries if steps may succeed now, and otherwise ends the run with an error that its clients see.
 *
 * @param run runs the step that ends it; few letters get this far
 */
export async function reviveOrEnd(
  wake: Wake,
  invocation: Invocation,
  options: StepOptions,
  io: Ports,
  run: typeof runStep,
): Promise<Settlement> {
  const view = await io.sessions.read({ tenant: wake.tenant, sessionId: wake.sessionId });
  if (!view) return 'ack';
  if (view.dueAt === undefined) return settleUnclaimed({ kind: 'rest', view }, wake, io);

  const trips = wake.deadLetters ?? 0;
  if (trips >= MAX_DEAD_LETTERS) return run(wake, invocation, { ...options, abandon: true }, io);
  // An earlier delivery of this message may hold the session, or be claiming it right now. A revived wake outlives that
  // (`settleUnclaimed`).
  await io.queue.send({ ...wake, deadLetters: trips + 1 }, options.leaseMs + PAUSE_MS);
  return 'ack';
}
