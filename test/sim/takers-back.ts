/** People who take messages back. */

import { accept } from '../../shared/agent/entrypoints/accept.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { noModel } from './invocation.ts';
import { later, request } from './people.ts';
import { portsFor } from './ports.ts';
import { withdrawalOf } from './withdrawals.ts';
import type { World } from './world.ts';

/** Takes some messages back soon after they were sent: before a step reads them, while one does, and later. */
export function mayTakeBack(world: World, key: SessionKey, eventId: string): void {
  const { workload, scheduler, ledger } = world;
  const { random } = scheduler;
  if (!random.chance(workload.withdraws ?? 0)) return;
  later(world, random.scale(1, 40_000), (done) => {
    const text = `<${key.tenant}> takes ${eventId} back`;
    const sent = { text, arrived: false, files: [], sentAt: scheduler.now, toldAt: undefined };
    ledger.facts(key).events.set(withdrawalOf(eventId), { ...sent, withdraws: eventId });
    takeBack(world, key, eventId, text, 8, done);
  });
}

function takeBack(
  world: World,
  key: SessionKey,
  withdraws: string,
  text: string,
  tries: number,
  done: () => void,
): void {
  const { scheduler, faults, ledger } = world;
  const eventId = withdrawalOf(withdraws);
  request(
    world,
    (caller) => accept(key, { eventId, text, withdraws, whenFull: 'keep' }, portsFor(caller, world, noModel)),
    (answer) => {
      scheduler.trace.say('taker', answer ?? 'no answer', key.sessionId, eventId);
      const sent = ledger.facts(key).events.get(eventId);
      if (sent && (answer === 'accepted' || answer === 'duplicate')) sent.toldAt ??= scheduler.now;
      if (answer || (tries <= 1 && !faults.stopped)) return done();
      scheduler.in(scheduler.random.scale(500, 60_000), () =>
        takeBack(world, key, withdraws, text, tries - 1, done),
      );
    },
  );
}
