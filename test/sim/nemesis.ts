import type { Head } from '../../shared/memory/head.ts';
import type { Hunt } from './hunts/hunt.ts';
import { type HuntName, hunts } from './hunts/index.ts';
import type { Claim } from './ledger.ts';
import type { Caller, Order } from './network.ts';
import { stopRun } from './people.ts';
import type { World } from './world.ts';

/**
 * Deliberate faults. Some bugs show only in a gap that chance hits once in thousands of seeds: a write that lands right
 * after a takeover, two owners that die in a row. A hunt makes such a gap likely. It knows the whole world, gives its
 * orders by the seed, and stops with the faults.
 */
export interface Nemesis {
  /** Called at every change of a HEAD. */
  headChanged(pk: string, head: Head): void;
  /** The fate of a call. Without an order it is left to chance. */
  orderFor(caller: Caller, operation: string): Order | undefined;
  /** Called when the model is asked, with whether it is for a summary. */
  asked(claim: Claim, summary: boolean): void;
  /** Time between two writes of one operation (an accept, admitting events), if it is not left to chance. */
  gapMs(): number | undefined;
}

/** Time in ms after which a held write lands, whatever it waits for. */
const HELD_MS = 200_000;

function noted(order: Order | undefined, faults: World['faults']): Order | undefined {
  if (order) faults.note();
  return order;
}

/** @param names the hunts of the workload, one of which the seed draws */
export function createNemesis(names: readonly HuntName[], worldOf: () => World): Nemesis {
  const waiting = new Map<string, { readonly comes: (head: Head) => boolean; readonly open: () => void }[]>();
  let hunt: Hunt | undefined;
  let drawn = false;

  const gate = (): PromiseWithResolvers<void> => {
    const made = Promise.withResolvers<void>();
    worldOf().scheduler.in(HELD_MS, made.resolve);
    return made;
  };

  /** Resolves when HEAD meets the condition, at once if it already does. */
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
      // A store that pauses for so long between two writes counts as a fault.
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
