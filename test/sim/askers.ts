import { askOf } from '../../shared/agent/entrypoints/accept.ts';
import type { Control } from '../../shared/agent/ports/inbox.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { noModel } from './invocation.ts';
import { later, request, sessionKeys } from './people.ts';
import { portsFor } from './ports.ts';
import type { World } from './world.ts';

/** Other parties that ask runs to wrap up, or to end because their parent run was cancelled. */
export function startAskers(world: World): void {
  const { workload, scheduler } = world;
  const within = workload.apartMs * workload.messages + 5_000;
  for (const key of sessionKeys(world))
    for (const [control, times] of [
      ['wrap_up', workload.wrapUps],
      ['parent_cancel', workload.parentCancels],
    ] as const)
      for (let i = 1; i <= times; i++)
        later(world, scheduler.random.between(100, within), (done) => ask(world, key, control, i, done));
}

function ask(world: World, key: SessionKey, control: Control, i: number, done: () => void): void {
  const { ledger, scheduler } = world;
  const eventId = `${control}-${i}`;
  request(
    world,
    (caller) => askOf(key, control, eventId, portsFor(caller, world, noModel)),
    (answer, caller) => {
      scheduler.trace.say('asker', answer ?? 'no answer', key.sessionId, eventId);
      if (answer === 'accepted' && !ledger.facts(key).sentBy.has(caller))
        ledger.violate(
          '16 an acknowledged request has a wake',
          `${eventId}: ${answer}, and no wake was sent`,
        );
      if (answer) done();
      else scheduler.in(scheduler.random.scale(500, 60_000), () => ask(world, key, control, i, done));
    },
  );
}
