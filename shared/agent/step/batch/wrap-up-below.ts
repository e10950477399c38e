/** A run that waits, and is asked to wrap up. */

import { allEnded } from '../../plain/all-ended.ts';
import type { Ports } from '../../ports/ports.ts';
import { MOST_WRAP_UP_MS } from '../../session/wrap-up.ts';
import { sendControl } from '../end/send-control.ts';
import type { Loaded } from '../open/load.ts';
import { openWaits, wrapUpAsked } from '../open/waiting.ts';

/**
 * Asks the children of a waiting run to wrap up, as it was asked, and ends its wait for them in time for its own summary. If the
 * request comes from the session that it works for, that session waits for a limited time only, so half of it is left to those
 * below and to people, and the rest is the run's own. Queued calls are at work and are waited for.
 *
 * The children are asked before the commit that says so, and each once: a step that dies in between is repeated.
 */
export async function passOnWrapUp(
  loaded: Loaded,
  now: number,
  io: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'listings'>,
): Promise<Loaded> {
  const { key, view } = loaded;
  const { batch } = view.session;
  const asked = wrapUpAsked(loaded);
  if (!batch || !asked) return loaded;
  const { until, by, caller } = asked;
  const end = until === undefined ? now + MOST_WRAP_UP_MS : now + Math.floor(Math.max(0, until - now) / 2);
  await allEnded(
    openWaits(loaded, now).map(({ id, child }) => {
      if (child === undefined) return undefined;
      const below = { tenant: key.tenant, sessionId: child };
      return sendControl(
        below,
        'wrap_up',
        id,
        { until: end, ...(by && { by }), ...(caller && { caller }) },
        io,
      );
    }),
  );
  const waits = batch.waits.map((wait) => {
    const ends = wait.kind === 'child' || (until !== undefined && wait.kind !== 'call');
    return ends ? { ...wait, expiresAt: Math.min(wait.expiresAt, end) } : wait;
  });
  const session = { ...view.session, batch: { ...batch, waits, wrapsUp: true as const } };
  return { ...loaded, view: { ...view, session } };
}
