import { agents } from '#agents';
import { clients } from '../shared/aws/clients.ts';
import { createDynamo } from '../shared/aws/dynamo.ts';
import { awsPorts } from '../shared/aws/ports.ts';
import { createStreams } from '../shared/aws/streams.ts';
import { DecisionBody } from '../shared/contract/http.ts';
import { priceOf } from '../shared/models/prices.ts';
import { authorize } from './middleware/authorize.ts';
import { openCredentials } from './middleware/credentials.ts';
import { readEnv, s3Endpoint } from './middleware/environment.ts';
import { openLimits } from './middleware/limits.ts';
import { parseOr400, Refusal } from './middleware/problem.ts';
import { streamResponse } from './middleware/stream-response.ts';
import { serveAgui } from './routes/agui.ts';
import type { AguiContext } from './routes/agui-arrivals.ts';
import { settleDecision } from './routes/decisions.ts';

const { TABLE_NAME, STEP_QUEUE_URL, BLOB_BUCKET, STREAMS_AT_ONCE, WATCH_SECONDS } = readEnv(
  'TABLE_NAME',
  'STEP_QUEUE_URL',
  'BLOB_BUCKET',
  'STREAMS_AT_ONCE',
  'WATCH_SECONDS',
);
const io = awsPorts({
  tableName: TABLE_NAME,
  queueUrl: STEP_QUEUE_URL,
  bucket: BLOB_BUCKET,
  s3Endpoint: s3Endpoint(),
});
const dynamo = createDynamo(clients.dynamo(), TABLE_NAME);
const credentials = openCredentials({ ...io, dynamo });

/** Time in ms before the function's deadline at which an answer ends by itself. */
const RESERVE_MS = 10_000;

const context: AguiContext = {
  io,
  limits: openLimits(dynamo, io.clock),
  streams: createStreams(dynamo, io.clock, Number(STREAMS_AT_ONCE)),
  watchMs: Number(WATCH_SECONDS) * 1000,
  agents,
  priceOf,
  async decide(key, decision, caller) {
    await settleDecision(key, parseOr400(DecisionBody, decision, 'resume'), caller, { io, agents });
  },
};

/** AG-UI over SSE, on a function URL (docs/adr/0007-sse.md). */
export const handler = streamResponse(async (event, { getRemainingTimeInMillis }) => {
  if (event.requestContext.http.method !== 'POST') throw new Refusal(405, 'Use POST', {}, { allow: 'POST' });
  const caller = await authorize(event, credentials);
  const deadlineAt = io.clock.now() + getRemainingTimeInMillis() - RESERVE_MS;
  return serveAgui(event, caller, deadlineAt, context);
});
