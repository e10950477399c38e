import type { Graves } from '../../shared/agent/entrypoints/graves.ts';
import type { Ages } from '../../shared/agent/entrypoints/retention.ts';
import { createAges } from '../../shared/aws/ages.ts';
import { clients } from '../../shared/aws/clients.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createGraves } from '../../shared/aws/graves.ts';
import { createPurge } from '../../shared/aws/purge.ts';
import { optionalEnv, readEnv, s3Endpoint } from '../middleware/environment.ts';
import { openLimits } from './limits.ts';
import { corePorts } from './step.ts';

const DAY_MS = 24 * 3_600_000;

/** The ports of the sweeper, the only function that deletes what is stored of sessions. */
export function sweepPorts() {
  const { TABLE_NAME, BLOB_BUCKET } = readEnv('TABLE_NAME', 'BLOB_BUCKET');
  const io = corePorts();
  const dynamo = createDynamo(clients.dynamo(), TABLE_NAME);
  const s3 = { identity: clients.dynamo().config, endpoint: s3Endpoint() };
  const graves: Graves = createGraves(dynamo, createPurge(s3, BLOB_BUCKET));
  const ages: Ages = createAges(clients.dynamo(), TABLE_NAME, dynamo);
  return { ...io, graves, ages, limits: openLimits(dynamo, io) };
}

/** Time in ms for which inactive sessions are kept; undefined means forever. */
export function keptMs(): number | undefined {
  const days = Number(optionalEnv('SESSIONS_DAYS') ?? 0);
  return days > 0 ? days * DAY_MS : undefined;
}
