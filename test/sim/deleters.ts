import { deleteSession } from '../../shared/agent/entrypoints/delete.ts';
import { GRAVE_MS, type Graves } from '../../shared/agent/entrypoints/graves.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { burialChecks } from './invariants/deleted.ts';
import { noModel } from './invocation.ts';
import { check } from './ledger.ts';
import type { Caller } from './network.ts';
import { later, request, sessionKeys } from './people.ts';
import { type Call, portsFor, through } from './ports.ts';
import type { World } from './world.ts';

/** People who delete sessions, also while these run, in which case they try again. */
export function startDeleters(world: World): void {
  const { workload, scheduler } = world;
  const within = workload.apartMs * workload.messages + 60_000;
  for (const key of sessionKeys(world))
    for (let i = 0; i < (workload.deletes ?? 0); i++)
      later(world, scheduler.random.between(100, within), (done) => remove(world, key, 8, done));
}

function remove(world: World, key: SessionKey, tries: number, done: () => void): void {
  const { scheduler } = world;
  request(
    world,
    (caller) =>
      deleteSession(key, caller.host.clock.now(), {
        ...portsFor(caller, world, noModel),
        graves: gravesFor(caller, world),
      }),
    (answer) => {
      scheduler.trace.say('deleter', answer?.kind ?? 'no answer', key.sessionId);
      if (answer?.kind === 'buried' || tries <= 1) return done();
      scheduler.in(scheduler.random.scale(500, 60_000), () => remove(world, key, tries - 1, done));
    },
  );
}

/** The graves as one invocation sees them. */
export function gravesFor(caller: Caller, world: World): Graves {
  const { network, memory, ledger, scheduler } = world;
  const call: Call = (operation, apply) => network.call(caller, operation, apply);
  return {
    ...through('graves', memory.graves, call),
    bury: (key, now, how) =>
      call('graves.bury', async () => {
        const facts = ledger.facts(key);
        const head = memory.table.heads.get(facts.pk);
        const burial = await memory.graves.bury(key, now, how);
        if (burial.kind !== 'buried' || !head) return burial;
        scheduler.trace.say(caller.id, 'buries', key.sessionId);
        facts.buriedAt = scheduler.now;
        check(ledger, burialChecks, { facts, head });
        return burial;
      }),
    async *due(now) {
      const pages = memory.graves.due(now)[Symbol.asyncIterator]();
      while (true) {
        // Asking again returns the same page.
        let asked: ReturnType<typeof pages.next> | undefined;
        const page = await call('graves.due', () => (asked ??= pages.next()));
        if (page.done) return;
        yield page.value;
      }
    },
  };
}

/**
 * Checks sessions as they are created: the key of a deleted session may be reused only when no writer of the old one is
 * left.
 */
export function observeMade(world: World, pk: string): void {
  const { ledger, scheduler, memory } = world;
  const before = ledger.sessions.get(pk);
  if (before?.buriedAt === undefined) return;
  const ago = scheduler.now - before.buriedAt;
  if (memory.table.graves.has(pk) || ago < GRAVE_MS - SKEW_MS)
    ledger.violate('40 a deleted session stays deleted', `${pk} was made again after ${ago} ms`);
  ledger.sessions.delete(pk);
}

/** Maximum difference between the clocks of two hosts, in ms. */
const SKEW_MS = 20_000;
