import { faultOf } from '../schedules/when.ts';
import type { Deployment } from './deployment-keys.ts';

/** Any moment: what is never due from then on is never due. */
const SOME_DAY = Date.UTC(2026, 0, 1);

/** Throws if a schedule of a deployment is never due, or its pattern cannot be read: before the deploy, not at its first tick. */
export function checkSchedules({ schedules }: Pick<Deployment, 'schedules'>): void {
  for (const { name, when, zone } of schedules) {
    // A time in the past is no fault: a deploy may come after it.
    const fault = faultOf(when, zone, 'at' in when ? 0 : SOME_DAY);
    if (fault !== undefined) throw new Error(`schedules.${name}.${fault}`);
  }
}
