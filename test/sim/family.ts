import { childrenOver } from '../../shared/agent/entrypoints/children.ts';
import type { Children } from '../../shared/agent/ports/children.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { aliveFor } from '../../shared/agent/session/background.ts';
import { MAX_ALIVE } from '../../shared/agent/session/parent.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { beginChecks } from './invariants/family.ts';
import { check } from './ledger.ts';
import type { Caller } from './network.ts';
import type { World } from './world.ts';

/** How one invocation begins sessions for calls. Each of its operations goes through the invocation's own ports. */
export function childrenFor(caller: Caller, world: World, ports: Ports): Children {
  const { ledger, scheduler } = world;
  const inner = childrenOver(ports, world.agentOf, async () => undefined);
  return {
    define: (...asked) => inner.define(...asked),
    async begin(child) {
      const { key, parent } = child;
      const facts = ledger.facts({ tenant: key.tenant, sessionId: parent.sessionId });
      const { callId, depth, slot, room } = parent;
      if (!facts.rooms.has(key.sessionId)) facts.rooms.set(key.sessionId, { slot, room });
      const { heads } = world.memory.table;
      const above = heads.get(facts.pk)?.session;
      // The step may read the reports of those that have ended. A slow owner begins again what its successor has begun.
      const living = above?.background?.filter(
        ({ sessionId }) =>
          sessionId !== key.sessionId && !heads.get(`${key.tenant}#${sessionId}`)?.session.run?.ended,
      );
      const has = (above?.parent?.room ?? MAX_ALIVE) - aliveFor({ ...(living && { background: living }) });
      check(ledger, beginChecks, { facts, callId, child: key.sessionId, depth, slot, has });
      facts.children.set(callId, key.sessionId);
      scheduler.trace.say(caller.id, 'begins', key.sessionId, 'for', parent.sessionId, callId);
      const begun = await inner.begin(child);
      return begun;
    },
  };
}

/** A session of a tree, as its root is followed. */
export const rootOf = ({ memory }: World, { key, parent }: Session): SessionKey => {
  let at = { key, parent };
  for (; at.parent; ) {
    const of: SessionKey = { tenant: key.tenant, sessionId: at.parent.sessionId };
    const head = memory.table.heads.get(`${of.tenant}#${of.sessionId}`);
    at = { key: of, parent: head?.session.parent };
  }
  return at.key;
};

/** The sessions of a tree that are there now, the root first. */
export function treeOf(world: World, root: SessionKey): SessionKey[] {
  const all = [...world.memory.table.heads.values()].map(({ session }) => session);
  const below = all.filter(
    (session) =>
      session.parent &&
      session.key.tenant === root.tenant &&
      rootOf(world, session).sessionId === root.sessionId,
  );
  return [root, ...below.map(({ key }) => key)];
}

/** Counts the sessions of a tree that have begun, and whose first run is not over. */
export function countAlive(world: World, session: Session): void {
  if (!session.parent) return;
  const root = rootOf(world, session);
  const { heads, events } = world.memory.table;
  const alive = treeOf(world, root)
    .slice(1)
    .filter(({ tenant, sessionId }) => {
      const pk = `${tenant}#${sessionId}`;
      const head = heads.get(pk);
      return head && !head.session.run?.ended && (head.session.run || (events.get(pk)?.size ?? 0) > 0);
    });
  const facts = world.ledger.facts(root);
  facts.mostAlive = Math.max(facts.mostAlive, alive.length);
}
