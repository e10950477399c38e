/** Invariants of a cancel: 16, 18. Checked when its sender is answered. */

import type { SessionKey } from '../../../shared/contract/session.ts';
import type { World } from '../world.ts';
import { isPeace } from './peace.ts';

/** Without faults, a run that only waits has ended this many ms later, without further events. */
const SOON_MS = 30_000;
/** Without faults a busy run has ended too: its step looks each second (`lease.ts`), and its tools here are short. */
const PROMPT_MS = 5_000;

/** @param caller the invocation that answered */
export function cancelAnswered(
  world: World,
  key: SessionKey,
  answer: 'cancelled' | 'idle' | 'unknown' | undefined,
  caller: string,
): void {
  if (answer !== 'cancelled') return;
  const { ledger, memory, scheduler } = world;
  const facts = ledger.facts(key);
  if (!facts.sentBy.has(caller))
    ledger.violate('16 an acknowledged request has a wake', `a cancel of ${facts.pk}, and no wake was sent`);

  const head = memory.table.heads.get(facts.pk);
  if (head && head.cancelGen > head.session.cancelSeen) {
    facts.cancelToldAt ??= scheduler.events;
    facts.cancelToldMs ??= scheduler.now;
  }
  if (head && isPeace(world) && memory.table.heads.size === 1)
    scheduler.in(PROMPT_MS, () => {
      const { cancelSeen } = memory.table.heads.get(facts.pk)?.session ?? head.session;
      if (facts.buriedAt === undefined && cancelSeen < head.cancelGen && isPeace(world))
        ledger.violate('18 without faults a cancel is prompt', `${facts.pk} goes on`);
    });
  if (!head || head.owner !== undefined || head.dueAt === undefined || !isQuiet(world, facts.pk)) return;
  const { cancelGen } = head;
  scheduler.in(SOON_MS, () => {
    if (facts.buriedAt !== undefined) return;
    const now = memory.table.heads.get(facts.pk) ?? head;
    // A later cancel has made it due again, by the clock of its own host.
    if (now.session.cancelSeen < cancelGen && now.cancelGen === cancelGen && now.owner === undefined)
      ledger.violate('18 a cancel ends a run that only waits', `${facts.pk} waits on`);
  });
}

/** Whether nothing goes wrong, and nothing is running except in this session. */
function isQuiet({ faults, active, memory }: World, pk: string): boolean {
  if (!faults.stopped || active > 0) return false;
  return [...memory.table.heads].every(([other, { dueAt }]) => other === pk || dueAt === undefined);
}
