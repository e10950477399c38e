import type { SessionKey } from '../../contract/session.ts';
import { groupsOf } from '../plain/groups.ts';
import type { Clock } from '../ports/ports.ts';
import { GRAVE_MS } from './graves.ts';

/** Sessions that are buried in parallel. */
const AT_ONCE = 20;

/** A tenant whose key was deleted and whose data is not all removed yet. */
export interface RemovedTenant {
  readonly tenant: string;
  /** Epoch ms. */
  readonly deletedAt: number;
}

/**
 * The data of tenants whose key was deleted (docs/deploy.md). Nothing of it is read, because it cannot be. Rejects if a service
 * cannot be reached; each operation may be repeated.
 */
export interface RemovedTenants {
  all(): Promise<readonly RemovedTenant[]>;
  /** Sessions that have no tombstone yet, a page at a time; as far as indexes are up to date. */
  sessions(tenant: string): AsyncIterable<readonly SessionKey[]>;
  /** Makes HEAD a tombstone whatever its state, and removes the session from the lists. The next sweeps erase it (`erase.ts`). */
  buryUnread(key: SessionKey, now: number): Promise<void>;
  /** Deletes what may lie unsealed: uploads, copies for open links, counted days. Also its schedules, which would stay due. */
  clear(tenant: string): Promise<void>;
  /** Deletes what is left in the bucket, and ends the removal. */
  finish(tenant: string): Promise<void>;
}

/**
 * Removes data of tenants whose key was deleted, and looks again until no writer is left. A failure with one tenant does not stop
 * the others, and is thrown at the end.
 *
 * @param deadlineAt epoch ms after which no further session is begun
 * @returns the number of sessions that it has buried
 */
export async function removeTenants(
  { clock, removed }: { readonly clock: Pick<Clock, 'now'>; readonly removed: RemovedTenants },
  deadlineAt = Infinity,
): Promise<number> {
  const failures: unknown[] = [];
  let buried = 0;
  for (const tenant of await removed.all()) {
    if (clock.now() >= deadlineAt) break;
    try {
      buried += await removeOne(tenant, deadlineAt, { clock, removed });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return buried;
}

async function removeOne(
  { tenant, deletedAt }: RemovedTenant,
  deadlineAt: number,
  { clock, removed }: { readonly clock: Pick<Clock, 'now'>; readonly removed: RemovedTenants },
): Promise<number> {
  await removed.clear(tenant);
  let buried = 0;
  for await (const page of removed.sessions(tenant)) {
    for (const some of groupsOf(page, AT_ONCE)) {
      if (clock.now() >= deadlineAt) return buried;
      await Promise.all(some.map((key) => removed.buryUnread(key, clock.now())));
      buried += some.length;
    }
  }
  if (buried === 0 && clock.now() >= deletedAt + GRAVE_MS) await removed.finish(tenant);
  return buried;
}
