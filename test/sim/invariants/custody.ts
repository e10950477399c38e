/** Invariant 16, the chain of custody: what is to run soon has a message that will wake it. */

import type { Delivery } from '../queue.ts';
import type { World } from '../world.ts';

/** The longest that a wake can be delayed, less the skew of clocks and the time of an invocation. */
const SOON_MS = 570_000;

/** Checked when a message has been deleted: the last of a session that is due soon must not be. */
export function acked({ ledger, memory, queue, scheduler }: World, delivery: Delivery, by: string): void {
  const { wake } = delivery;
  const { messageId } = delivery.handle;
  const facts = ledger.facts({ tenant: wake.tenant, sessionId: wake.sessionId });
  const head = memory.table.heads.get(facts.pk);
  if (!head || head.dueAt === undefined || facts.unsent) return;
  // Two deliveries of one message: this one was early, met another owner or has committed, and the other one has
  // claimed with it since. Should that one die, the sweeper repairs it.
  const claim = ledger.claims.get(by);
  const honest =
    ['early', 'leased', 'rest'].includes(ledger.told.get(by) ?? '') ||
    (claim && facts.committedEpochs.has(claim.epoch));
  if (head.ownerMessageId === messageId && honest) facts.purged = true;
  if (head.dueAt - scheduler.now > SOON_MS || facts.purged || queue.custody(facts.pk) > 0) return;
  ledger.violate(
    '16 what runs has a wake',
    `${messageId} was the last message of ${facts.pk}, due in ${head.dueAt - scheduler.now} ms (owner ${head.owner ?? 'none'})`,
  );
}
