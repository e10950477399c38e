import { restoreFiles } from '../../shared/agent/entrypoints/files.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { noModel } from './invocation.ts';
import { later, request, sessionKeys } from './people.ts';
import { portsFor } from './ports.ts';
import type { World } from './world.ts';

/** People who restore the files of a session to their state after one of its slots. */
export function startRestorers(world: World): void {
  const { workload, scheduler } = world;
  const within = workload.apartMs * workload.messages + 60_000;
  for (const key of sessionKeys(world))
    for (let i = 0; i < workload.restores; i++)
      later(world, scheduler.random.between(100, within), (done) => restore(world, key, done));
}

function restore(world: World, key: SessionKey, done: () => void): void {
  const { ledger, scheduler } = world;
  const slot = scheduler.random.between(0, Math.max(0, ledger.facts(key).stored.length - 1));
  request(
    world,
    (caller) => restoreFiles(key, slot, portsFor(caller, world, noModel)),
    (answer) => {
      scheduler.trace.say('restorer', answer ?? 'no answer', key.sessionId, `slot ${slot}`);
      done();
    },
  );
}
