/** Stores the schedules of the definition: after each deploy that changes them. */

import { hashOfDeclared, type Wanted, wantedFrom } from '../../define/declared-schedules.ts';
import type { DeclaredSchedule } from '../../define/schedule.ts';
import { canonicalJson } from '../../plain/hash.ts';
import { TenantKeyDeleted } from '../../plain/tenant-key-deleted.ts';
import type { Clock } from '../../ports/ports.ts';
import type { Queue } from '../../ports/queue.ts';
import type { StoredSchedule } from '../../schedules/schedule.ts';
import { announceNext } from '../../schedules/soon.ts';
import type { Schedules } from '../../schedules/store.ts';
import { begin, change } from '../../schedules/take.ts';

/** Tries to store one, against ticks that are taken meanwhile. */
const TRIES = 5;

interface Io {
  readonly clock: Pick<Clock, 'now'>;
  readonly queue: Pick<Queue, 'due'>;
  readonly schedules: Schedules;
}

/**
 * Creates, changes and removes stored schedules until they are those of the definition. The stored keys are noted at the end,
 * so a process that dies is followed by one that does it again. Those that are unchanged keep their course.
 */
export async function storeDeclared(declared: readonly DeclaredSchedule[], io: Io): Promise<void> {
  const { schedules } = io;
  const hash = hashOfDeclared(declared);
  const before = await schedules.declared();
  if ((before?.hash ?? '') === hash) return;
  const wanted = wantedFrom(declared);
  const keys = wanted.map(({ key }) => key);
  // Noted before they are stored, so that a later deploy knows those of a process that died.
  const known = [...(before?.keys ?? []), ...keys];
  const all = [...new Map(known.map((key) => [`${key.tenant}#${key.id}`, key])).values()];
  await schedules.putDeclared({ hash: 'storing', keys: all });
  for (const one of wanted) await storeOne(one, io).catch(unlessKeyDeleted);
  for (const key of all) if (!keys.some(isSame(key))) await schedules.remove(key);
  await schedules.putDeclared({ hash, keys });
}

const isSame =
  (a: { readonly tenant: string; readonly id: string }) =>
  (b: typeof a): boolean =>
    a.tenant === b.tenant && a.id === b.id;

/** A tenant whose key was deleted has no schedules; those of other tenants are stored all the same. */
function unlessKeyDeleted(error: unknown): void {
  if (!(error instanceof TenantKeyDeleted)) throw error;
}

async function storeOne(wanted: Wanted, io: Io): Promise<void> {
  const { clock, schedules } = io;
  for (let tries = 0; tries < TRIES; tries++) {
    const now = clock.now();
    const stored = await schedules.read(wanted.key);
    if (!stored) {
      const schedule = { ...wanted, createdAt: now };
      const first = { schedule, course: begin(schedule, now), revision: 1 };
      if (await schedules.create(first)) continue;
      return announceNext(first, io);
    }
    const to = changed(stored, wanted, now);
    if (!to) return;
    if ((await schedules.write(to)) === 'written') return announceNext(to, io);
  }
  throw new Error(`the schedule ${wanted.key.id} of ${wanted.key.tenant} changes too often to be stored`);
}

/** The stored schedule as the definition has it now; undefined if it is the same. */
function changed(stored: StoredSchedule, wanted: Wanted, now: number): StoredSchedule | undefined {
  const { createdAt, ...before } = stored.schedule;
  if (canonicalJson(before) === canonicalJson(wanted)) return undefined;
  const schedule = { ...wanted, createdAt };
  return { schedule, course: change(stored, schedule, now), revision: stored.revision + 1 };
}
