/** Invariants of seeds without faults: 19. Protection from faults must cost nothing without them. */

import type { ClaimResult } from '../../../shared/agent/ports/sessions.ts';
import type { Head } from '../../../shared/memory/head.ts';
import type { World } from '../world.ts';

/** Whether nothing has gone wrong so far: no fault, no step that kills its owner, no wrong clock. */
export const isPeace = ({ faults, workload }: World): boolean =>
  faults.count === 0 && faults.profile.skew === 0 && workload.poison === 'none' && workload.modelDownMs === 0;

/** Checked at a claim: the heartbeat keeps the session, however long its step takes. */
export function takenOver(world: World, pk: string, { owner, epoch }: Head): void {
  if (owner !== undefined && isPeace(world))
    world.ledger.violate(
      '19 without faults no owner is taken over',
      `${pk} was taken from ${owner}, epoch ${epoch}`,
    );
}

/** Checked at the answer to a claim: the heartbeat keeps the message away, too. */
export function cameBack(world: World, caller: string, answer: ClaimResult['kind']): void {
  if (answer === 'leased_by_this_message' && isPeace(world))
    world.ledger.violate('19 without faults no message comes back', `${caller} got the message of the owner`);
}
