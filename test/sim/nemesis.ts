import type { Head } from '../../shared/memory/head.ts';
import type { Hunt } from './hunts/hunt.ts';
import { type HuntName, hunts } from './hunts/index.ts';
import type { Claim } from './ledger.ts';
import type { Caller, Order } from './network.ts';
import { stopRun } from './people.ts';
import type { World } from './world.ts';

/**
 * What goes wrong on purpose. Some mistakes show only in a gap that chance meets once in thousands of seeds: a write
 * that lands right after a takeover, two owners that die in a row. A hunt makes such a gap likely. It knows the whole
 * world, gives its orders by the seed, and stops with the faults.
 */
export interface Nemesis {
  /** Told of every change of a HEAD. */
  headChanged(pk: string, head: Head): void;
  /** What is to become of a call; without an order chance decides. */
  orderFor(caller: Caller, operation: string): Order | undefined;
  /** Told when the model is asked, and whether for a summary. */
  asked(claim: Claim, summary: boolean): void;
  /** Time between two writes of one operation (an accept, letting events in), when it is not to be left to chance. */
  gapMs(): number | undefined;
}

/** After this a write that is held lands, whatever has become of what it waits for, in ms. */
const HELD_MS = 200_000;

function noted(order: Order | undefined, faults: World['faults']): Order | undefined {
  if (order) faults.note();
  return order;
}

/** @param names the hunts of the workload, of which the seed draws one */
export function createNemesis(names: readonly HuntName[], worldOf: () => World): Nemesis {
  const waiting = new Map<string, { readonly comes: (head: Head) => boolean; readonly open: () => void }[]>();
  let hunt: Hunt | undefined;
  let drawn = false;

  const gate = (): PromiseWithResolvers<void> => {
    const made = Promise.withResolvers<void>();
    worldOf().scheduler.in(HELD_MS, made.resolve);
    return made;
  };

  /** Resolves when HEAD is like this, at once when it is already. */
  const until = (pk: string, comes: (head: Head) => boolean): Promise<void> => {
    const { promise, resolve } = gate();
    const now = worldOf().memory.table.heads.get(pk);
    if (now && comes(now)) resolve();
    else waiting.set(pk, [...(waiting.get(pk) ?? []), { comes, open: resolve }]);
    return promise;
  };

  const theHunt = (): Hunt | undefined => {
    const world = worldOf();
    const { random } = world.scheduler;
    if (!drawn && names.length > 0)
      hunt = hunts[random.pick(names)]({
        random,
        leaseMs: world.workload.leaseMs,
        until,
        gate,
        redeliverIn(ms, messageId) {
          world.faults.note();
          world.scheduler.in(ms, () => world.queue.redeliver(messageId));
        },
        redeliverCallIn(ms, messageId) {
          world.faults.note();
          world.scheduler.in(ms, () => world.toolQueue.redeliver(messageId));
        },
        isDone: (pk, eventId) => world.memory.table.events.get(pk)?.get(eventId)?.done ?? false,
        cancelIn(ms, key) {
          world.busy += 1;
          world.scheduler.in(ms, () => stopRun(world, key, () => (world.busy -= 1)));
        },
      });
    drawn = true;
    return world.faults.stopped ? undefined : hunt;
  };

  return {
    headChanged(pk, head) {
      const still = [];
      for (const gate of waiting.get(pk) ?? []) {
        if (gate.comes(head)) gate.open();
        else still.push(gate);
      }
      if (waiting.has(pk)) waiting.set(pk, still);
    },
    asked(claim, summary) {
      theHunt()?.asked?.(claim, summary);
    },
    gapMs() {
      const ms = theHunt()?.gapMs?.();
      // A store that stands still for so long between two writes is no peace.
      if (ms !== undefined) worldOf().faults.note();
      return ms;
    },
    orderFor({ id }, operation) {
      const { ledger, memory, faults } = worldOf();
      const claim = ledger.claims.get(id);
      const head = claim && memory.table.heads.get(claim.pk);
      const aim = ledger.aims.get(id);
      if (aim?.waitId !== undefined) return noted(theHunt()?.workerOrder?.(operation, aim), faults);
      const order =
        operation === 'claim'
          ? aim && theHunt()?.claimOrder?.(aim)
          : head && theHunt()?.orderFor?.({ operation, claim, head });
      return noted(order, faults);
    },
  };
}
