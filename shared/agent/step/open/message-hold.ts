import type { Ports, Settlement } from '../../ports/ports.ts';
import type { Invocation } from '../../ports/queue.ts';

/**
 * Time in ms after which a step sets when its message comes back if the step dies. A step that finishes earlier skips this
 * call; if a step dies earlier, its message comes back when its invocation would have ended anyway (`infra/step-queue.ts`).
 */
const QUICK_MS = 300;

/**
 * Runs a step as the holder of its message. An unfinished message comes back a little after its lease has expired, so that the
 * next receiver finds the session free.
 *
 * @param hideMs time in ms from now until then
 * @param run gets a function that sets it at once: a step that runs calls before it asks a model must not be lost for minutes
 */
export async function holdingMessage(
  { message }: Invocation,
  hideMs: number,
  { clock, queue }: Pick<Ports, 'clock' | 'queue'>,
  run: (holdNow: () => void) => Promise<Settlement>,
): Promise<Settlement> {
  const waiting = new AbortController();
  let isOver = false;
  const hide = () => queue.hide(message, hideMs);
  const hidden = clock.sleep(QUICK_MS, waiting.signal).then(() => (isOver ? undefined : hide()));
  // It is awaited when the step is over. Until then its failure is a rejection that nothing handles, for which Lambda ends the process.
  hidden.catch(() => undefined);
  let settlement: Settlement = 'retry';
  try {
    settlement = await run(() => waiting.abort('now'));
    return settlement;
  } finally {
    isOver = true;
    waiting.abort('over');
    await hidden;
    if (settlement === 'retry') await hide();
  }
}
