/** Invariant 52: messages to sessions that work in the background (docs/children.md#messages). */

import type { Session } from '../../../shared/agent/session/session.ts';
import type { World } from '../world.ts';
import { LATE_MS } from './family.ts';

/** The reply and the number of the call that has sent a message. Calls of a reply are numbered downwards (`replies.ts`). */
const CALL = /adds (call_(\w+)_(\d+))/;

/** At rest: each message that a session in the background has got was read once, in order, if its run went on long enough. */
export function checkSent({ ledger }: World, { key, parent, lastEnding, state }: Session): void {
  const facts = ledger.facts(key);
  const of = ledger.facts({ tenant: key.tenant, sessionId: parent?.sessionId ?? '' });
  const inputs = facts.stored.flatMap((slot) =>
    slot.kind === 'model' ? slot.input.filter(({ internal }) => internal?.reason === 'parent') : [],
  );
  const read = inputs.map(({ text }) => {
    const [, id = '', reply = '', n = ''] = CALL.exec(text) ?? [];
    return { id, reply, n: Number(n) };
  });
  const twice = read.find(({ id }, i) => read.findIndex((one) => one.id === id) < i);
  if (twice) ledger.violate('57 a message to an agent is read once', `${facts.pk}: ${twice.id}`);
  const swapped = read.find(({ reply, n }, i) =>
    read.slice(0, i).some((one) => one.reply === reply && one.n < n),
  );
  if (swapped) ledger.violate('57 messages of a reply are read in order', `${facts.pk}: ${swapped.id}`);
  const replies = JSON.stringify(of.stored);
  const unkept = read.find(({ id }) => !replies.includes(`"${id}"`));
  if (unkept && of.buriedAt === undefined)
    ledger.violate('57 a message is sent for a reply that is kept', `${facts.pk}: ${unkept.id}`);
  const { at: endedAt = 0 } = lastEnding ?? {};
  const ids = new Set(inputs.map(({ eventId }) => eventId));
  const lost = [...facts.events].find(
    ([id, { sentAt }]) => id.startsWith('sent-') && !ids.has(id) && endedAt - sentAt > LATE_MS,
  );
  if (lost && state === 'completed' && !facts.purged)
    ledger.violate('57 a message to an agent that goes on is read', `${facts.pk}: ${lost[0]}`);
}
