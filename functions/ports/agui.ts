import definition from '#definition';
import { createApiKeys } from '../../shared/aws/api-keys.ts';
import { clients } from '../../shared/aws/clients.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { createStreams } from '../../shared/aws/streams.ts';
import { createUploads } from '../../shared/aws/uploads.ts';
import { DecisionBody } from '../../shared/contract/http.ts';
import type { Links } from '../../shared/edge/links.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { openCredentials } from '../middleware/credentials.ts';
import { optionalEnv, readEnv, s3Endpoint } from '../middleware/environment.ts';
import { parseOr400 } from '../middleware/problem.ts';
import { settleDecision } from '../routes/decisions.ts';
import type { PageContext } from '../routes/page-arrivals.ts';
import { edgePorts } from './edge.ts';
import { openLimits } from './limits.ts';
import { openPace } from './pace.ts';
import { sealedLinks } from './sealed-links.ts';
import { tenantKeysOf } from './tenant-keys.ts';

/** Loads the code that signs links when the first link is shown. */
async function openLinks(bucket: string): Promise<Links> {
  const { createLinks } = await import('../../shared/aws/links.ts');
  return createLinks({ identity: clients.dynamo().config, endpoint: s3Endpoint() }, bucket);
}

/** The ports of AG-UI over SSE, and the accepted credentials. */
export function pagePorts() {
  const { agents } = definition;
  const env = readEnv('TABLE_NAME', 'STEP_QUEUE_URL', 'BLOB_BUCKET', 'STREAMS_AT_ONCE', 'WATCH_SECONDS');
  const { io, dynamo } = edgePorts(env);
  const context: PageContext = {
    io,
    uploads: createUploads(dynamo, io.clock),
    links: sealedLinks(
      { downloadFrom: async (...args) => (await openLinks(env.BLOB_BUCKET)).downloadFrom(...args) },
      io.blobs,
    ),
    limits: openLimits(dynamo, io),
    streams: createStreams(dynamo, io.clock, Number(env.STREAMS_AT_ONCE)),
    watchMs: Number(env.WATCH_SECONDS) * 1000,
    agents,
    priceOf,
    async decide(key, decision, caller, channel) {
      const body = parseOr400(DecisionBody, decision, 'resume');
      await settleDecision(key, body, caller, { io, agents, channel });
    },
    isOutage,
  };
  const keys = createApiKeys(dynamo, io.clock);
  const edge = optionalEnv('EDGE_SECRET_ID');
  return {
    context,
    tenantKeys: tenantKeysOf(),
    credentials: openCredentials({ keys, secrets: io.secrets }),
    pace: openPace(dynamo, io.clock),
    ...(edge && { edgeSecret: () => io.secrets.get(edge) }),
  };
}
