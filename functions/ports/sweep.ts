import type { Graves } from '../../shared/agent/entrypoints/graves.ts';
import type { Ages } from '../../shared/agent/entrypoints/retention.ts';
import { createAges } from '../../shared/aws/ages.ts';
import { clients } from '../../shared/aws/clients.ts';
import { isDayDue } from '../../shared/aws/days-due.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createGraves } from '../../shared/aws/graves.ts';
import { isSomeoneDue } from '../../shared/aws/people-due.ts';
import { createPurge } from '../../shared/aws/purge.ts';
import { createDueSchedules } from '../../shared/aws/schedules-due.ts';
import { optionalEnv, readEnv, s3Endpoint } from '../middleware/environment.ts';
import { openLimits } from './limits.ts';
import { openTable, sealing } from './sealing.ts';
import { corePorts } from './step.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * The ports of the sweeper, the only function that deletes what is stored of sessions. Deleting reads no contents, so it also works
 * for tenants whose key was deleted. Counting a day reads the steps of its sessions.
 */
export function sweepPorts() {
  const { TABLE_NAME, BLOB_BUCKET } = readEnv('TABLE_NAME', 'BLOB_BUCKET');
  const io = corePorts();
  const dynamo = createDynamo(clients.dynamo(), TABLE_NAME);
  const s3 = { identity: clients.dynamo().config, endpoint: s3Endpoint() };
  const purge = createPurge(s3, BLOB_BUCKET);
  const graves: Graves = createGraves(dynamo, purge);
  const ages: Ages = createAges(clients.dynamo(), TABLE_NAME, dynamo);
  const own = { graves, ages, limits: openLimits(dynamo, io) };
  /** Loaded when a person's data is to be deleted; undefined if none is due. */
  const peoplePorts = async () => {
    if (!(await isSomeoneDue(dynamo, io.clock.now()))) return undefined;
    const { createListed } = await import('../../shared/aws/listed.ts');
    const { createPeople } = await import('../../shared/aws/people.ts');
    const { createUploadsOfPeople } = await import('../../shared/aws/people-uploads.ts');
    const { createSchedules } = await import('../../shared/aws/schedules.ts');
    const uploads = createUploadsOfPeople(dynamo, io.clock, purge);
    const schedules = createSchedules(openTable(TABLE_NAME), io.clock);
    return { ...io, graves, listed: createListed(dynamo), people: createPeople(dynamo), uploads, schedules };
  };
  /** Loaded when a day is to be counted; undefined if none is. */
  const daysPorts = async () => {
    if (!(await isDayDue(dynamo, io.clock.now()))) return undefined;
    const { createActivity } = await import('../../shared/aws/activity.ts');
    const { createDays } = await import('../../shared/aws/days.ts');
    const { isOutage } = await import('../../shared/aws/outage.ts');
    return { ...io, days: createDays(dynamo), activity: createActivity(dynamo), isOutage };
  };
  /** Undefined if tenants have no keys. */
  const removalPorts = async () => {
    const opened = await sealing()?.open();
    if (!opened) return undefined;
    const { createRemovedTenants } = await import('../../shared/aws/removed-tenants.ts');
    const { keyTable } = opened;
    return { clock: io.clock, removed: createRemovedTenants({ dynamo, keyTable, purge }) };
  };
  return {
    io: { ...io, ...own, schedules: createDueSchedules(dynamo) },
    peoplePorts,
    removalPorts,
    daysPorts,
  };
}

/** The hash of the definition's schedules; empty if it has none. */
export const schedulesHash = (): string => optionalEnv('SCHEDULES') ?? '';

/** Time in ms for which inactive sessions are kept; undefined means forever. */
export function keptMs(): number | undefined {
  const days = Number(optionalEnv('SESSIONS_DAYS') ?? 0);
  return days > 0 ? days * DAY_MS : undefined;
}
