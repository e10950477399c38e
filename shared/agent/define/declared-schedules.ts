/** The schedules of a definition, as they are stored for each of their tenants. */

import { defined } from '../plain/defined.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import type { Schedule } from '../schedules/schedule.ts';
import type { DeclaredSchedule } from './schedule.ts';

/** A schedule of the definition, for one tenant. */
export type Wanted = Omit<Schedule, 'createdAt'>;

export const wantedFrom = (declared: readonly DeclaredSchedule[]): readonly Wanted[] =>
  declared.flatMap((one) => one.tenants.map((tenant) => wantedIn(tenant, one)));

function wantedIn(tenant: string, declared: DeclaredSchedule): Wanted {
  const { name, agent, when, zone, message, into, overlap, catchUp, budget, callbackUrl } = declared;
  return {
    key: { tenant, id: name },
    ...{ name, agent, when, zone, into, overlap, catchUp, declared: true },
    ...(typeof message === 'string' && { message }),
    ...defined({ budget, callbackUrl }),
    speaker: { by: `schedule:${name}`, caller: { kind: 'schedule', channel: 'schedule', zone } },
  };
}

/** Tells a definition whose schedules have changed; empty if it has none. Functions are never stored, so they do not count. */
export const hashOfDeclared = (declared: readonly DeclaredSchedule[]): string =>
  declared.length === 0 ? '' : hash(canonicalJson(wantedFrom(declared)));
