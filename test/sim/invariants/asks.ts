/** Invariant 45: a root shows the requests of the sessions below it to people (docs/children.md). */

import { type Ask, isForPeople } from '../../../shared/agent/session/waits.ts';
import type { SessionKey } from '../../../shared/contract/session.ts';
import { treeOf } from '../family.ts';
import type { World } from '../world.ts';

/** Much longer than any repair of a lost message takes, in ms. */
const LATE_MS = 1_800_000;

/**
 * The requests that a root shows of the sessions below it. Checks that they are those that are open, unless something has changed
 * a short while ago.
 */
export function checkAsks(world: World, root: SessionKey): readonly Ask[] {
  const { ledger, memory, scheduler } = world;
  const headOf = ({ tenant, sessionId }: SessionKey) => memory.table.heads.get(`${tenant}#${sessionId}`);
  const head = headOf(root);
  const { asks = [] } = head?.session.batch ?? {};
  const tree = treeOf(world, root);
  const open = tree.slice(1).flatMap((key) => {
    const below = headOf(key);
    if (!below || below.cancelGen > below.session.cancelSeen || isMoot(world, key)) return [];
    const { batch } = below.session;
    return (batch?.waits ?? [])
      .filter((wait) => isForPeople(wait) && below.pending.includes(wait.id))
      .map(({ id, expiresAt }) => ({ id, expiresAt, since: batch?.since ?? 0 }));
  });
  const isQuiet = tree.every((key) => !ledger.facts(key).purged);
  if (!head || !isQuiet || head.session.run?.ended) return asks;
  for (const { id, since, expiresAt } of open)
    if (since < scheduler.now - LATE_MS && expiresAt > scheduler.now && !asks.some((ask) => ask.id === id))
      ledger.violate(
        '45 what a child asks is asked at the root',
        `${id} is open, and the root shows nothing`,
      );
  for (const { id } of asks) {
    const goneAt = goneSince(
      world,
      id,
      open.some((one) => one.id === id),
    );
    if (goneAt !== undefined && goneAt < scheduler.now - LATE_MS)
      ledger.violate('45 a request that is over is no longer asked', `${id} is over, and the root shows it`);
  }
  return asks;
}

/** Whether a session above this one is over or stops, so that nothing of it is asked any more. */
function isMoot({ memory }: World, key: SessionKey): boolean {
  let head = memory.table.heads.get(`${key.tenant}#${key.sessionId}`);
  while (head?.session.parent) {
    const { sessionId, callId } = head.session.parent;
    head = memory.table.heads.get(`${key.tenant}#${sessionId}`);
    if (!head || head.session.run?.ended || head.cancelGen > head.session.cancelSeen) return true;
    const isAwaited = head.session.batch?.waits.some(
      (wait) => wait.callId === callId && wait.kind === 'child',
    );
    if (!isAwaited) return true;
  }
  return false;
}

/** When a request was first found to be over, in epoch ms of the simulation; undefined while it is open. */
function goneSince({ ledger, scheduler }: World, id: string, isOpen: boolean): number | undefined {
  if (isOpen) {
    ledger.goneAsks.delete(id);
    return undefined;
  }
  const at = ledger.goneAsks.get(id) ?? scheduler.now;
  ledger.goneAsks.set(id, at);
  return at;
}
