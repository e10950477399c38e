/** Invariant 16, the chain of custody: a session that is due soon has a message that will wake it. */

import type { CallMessage } from '../../../shared/contract/queue.ts';
import type { Head } from '../../../shared/memory/head.ts';
import type { SessionFacts } from '../ledger.ts';
import type { Delivery } from '../queue.ts';
import type { World } from '../world.ts';
import { isParked, SKEW_MS } from './heads.ts';

/** The longest delay of a wake, minus the skew of clocks and the time of an invocation. */
const SOON_MS = 570_000;

/** Checked when a message was deleted: it must not be the last one of a session that is due soon. */
export function acked(
  { ledger, memory, queue, toolQueue, scheduler }: World,
  delivery: Delivery,
  by: string,
): void {
  const { wake } = delivery;
  const { messageId } = delivery.handle;
  const facts = ledger.facts({ tenant: wake.tenant, sessionId: wake.sessionId });
  const head = memory.table.heads.get(facts.pk);
  if (!head) return;
  // A wait for people ends soon: the process that committed it has sent the wake that ends it.
  const left =
    Math.min(...(head.session.batch?.waits ?? []).map(({ expiresAt }) => expiresAt)) - scheduler.now;
  const ends = isParked(head) && facts.lastCommit?.by === by && left > SKEW_MS && left < SOON_MS;
  if (ends && !facts.purged && queue.custody(facts.pk) === 0)
    ledger.violate('16 a wait that ends soon has a wake', `${messageId} is gone, and ${left} ms are left`);
  // There were two deliveries of one message. This receiver was early, met another owner or has committed, and the
  // other one has since claimed with the message. Or, with skewed clocks, a request of its own landed late. If that
  // owner is dead, the sweeper repairs it.
  const told = ledger.told.get(by);
  const isHonest = told !== undefined && ['early', 'leased', 'rest'].includes(told.answer);
  const hasDone = isHonest || facts.committers.has(by);
  if (head.ownerMessageId === messageId && hasDone) facts.purged = true;
  // The same if the other host's commit has landed by now, but no wake of it: its host has died, or is about to send
  // it.
  const { claim, by: other = '' } = facts.lastCommit ?? {};
  const isLate = claim?.head.ownerMessageId === messageId && !facts.sentBy.has(other);
  if (head.owner === undefined && isLate && hasDone && (told?.at ?? Infinity) < claim.claimedAt)
    facts.purged = true;
  if (head.dueAt === undefined) return;
  // The message of the current holder may be the dead letter that this message replaced.
  if (wake.deadLetters && told?.answer === 'leased' && !facts.sentBy.has(by))
    ledger.violate('16 a revived wake outlives a lease', `${messageId} is gone, and ${head.owner} may die`);
  const unsent = ledger.early.get(by)?.pending.find((id) => isLost(head, id, toolQueue));
  if (unsent && !facts.callsPurged)
    ledger.violate(
      '16 an early step sends the pending calls',
      `${messageId} is gone, and ${unsent} was not sent`,
    );
  if (facts.unsent) return;
  if (head.session.state === 'waiting_for_tool' && head.owner === undefined && head.dueAt > scheduler.now) {
    // Its calls wake it, since each has a message.
    const lost = head.pending.find((id) => isLost(head, id, toolQueue));
    if (lost && queue.custody(facts.pk) === 0 && !facts.callsPurged && !facts.purged)
      ledger.violate('16 a pending call has a message', `${messageId} is gone, and ${lost} was not sent`);
    return;
  }
  // The worker that took the last call out has not sent the wake yet, which the call's message guarantees.
  const calls = head.session.batch?.waits.some(({ id }) => toolQueue.custody(id) > 0);
  if (head.dueAt - scheduler.now > SOON_MS || facts.purged || calls || queue.custody(facts.pk) > 0) return;
  ledger.violate(
    '16 a running session has a wake',
    `${messageId} was the last message of ${facts.pk}, due in ${head.dueAt - scheduler.now} ms (owner ${head.owner ?? 'none'})`,
  );
}

/** Whether a pending queued call has not begun, and no message will begin it. */
function isLost(
  { session, pending, starts, owner, cancelGen }: Head,
  id: string,
  queue: World['toolQueue'],
): boolean {
  const wait = session.batch?.waits.find((one) => one.id === id);
  const isOpen = owner === undefined && cancelGen === session.cancelSeen && pending.includes(id);
  return isOpen && wait?.kind === 'call' && !starts[id] && queue.custody(id) === 0;
}

/** Whether every result is there, but neither a wake nor a call's message will lead to a step. */
function isForgotten(head: Head, facts: SessionFacts, toolQueue: World['toolQueue'], now: number): boolean {
  const { batch } = head.session;
  if (!batch || head.owner !== undefined || head.pending.length > 0 || (head.dueAt ?? Infinity) > now)
    return false;
  if (
    facts.purged ||
    facts.callsPurged ||
    head.attempts > 0 ||
    batch.waits.some(({ kind }) => kind !== 'call')
  )
    return false;
  return facts.wokenAt < facts.takenOutAt && batch.waits.every(({ id }) => toolQueue.custody(id) === 0);
}

/** Checked when a call's message was deleted: a pending call has another message, unless its last one was purged. */
export function callAcked(
  { ledger, memory, toolQueue, scheduler }: World,
  { wake, handle }: Delivery<CallMessage>,
): void {
  const { tenant, sessionId, waitId, callId } = wake;
  const facts = ledger.facts({ tenant, sessionId });
  const head = memory.table.heads.get(facts.pk);
  if (head && isForgotten(head, facts, toolQueue, scheduler.now))
    ledger.violate('20 the last result wakes', `${handle.messageId} is gone, and no wake was sent since`);
  // A step that owns the session is closing the batch.
  if (!head?.pending.includes(waitId) || head.owner !== undefined) return;
  if (head.cancelGen !== head.session.cancelSeen || facts.callsPurged || toolQueue.custody(waitId) > 0)
    return;
  ledger.violate('16 a pending call has a message', `${handle.messageId} was the last of ${callId}`);
}
