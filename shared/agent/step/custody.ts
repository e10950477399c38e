import type { Invocation, Ports, Settlement } from '../ports.ts';

/**
 * Time in ms after which a step says when its message is to come back, should it die. Most steps that ask no model are over by then,
 * and spare the call; who dies earlier comes back when its invocation would have ended anyway (`infra/step-queue.ts`).
 */
const QUICK_MS = 300;

/**
 * Runs a step as the holder of its message. Whatever is not done comes back a little after its lease has run out, so that the next
 * receiver finds the session free.
 *
 * @param hideMs time in ms from now until then
 */
export async function inCustody(
  { message }: Invocation,
  hideMs: number,
  { clock, queue }: Pick<Ports, 'clock' | 'queue'>,
  run: () => Promise<Settlement>,
): Promise<Settlement> {
  const over = new AbortController();
  const hide = () => queue.hide(message, hideMs);
  const hidden = clock.sleep(QUICK_MS, over.signal).then(() => (over.signal.aborted ? undefined : hide()));
  let settlement: Settlement = 'retry';
  try {
    settlement = await run();
    return settlement;
  } finally {
    over.abort('over');
    await hidden;
    if (settlement === 'retry') await hide();
  }
}
