import { agents } from '#agents';
import { awsPorts } from '../shared/aws/ports.ts';
import { priceOf } from '../shared/aws/prices.ts';
import { authorize } from './middleware/authorize.ts';
import { readEnv, s3Endpoint } from './middleware/environment.ts';
import { Refusal } from './middleware/problem.ts';
import { streamResponse } from './middleware/stream-response.ts';
import { type AguiContext, serveAgui } from './routes/agui.ts';

const { TABLE_NAME, STEP_QUEUE_URL, BLOB_BUCKET, API_TOKEN_SECRET_ID } = readEnv(
  'TABLE_NAME',
  'STEP_QUEUE_URL',
  'BLOB_BUCKET',
  'API_TOKEN_SECRET_ID',
);
const io = awsPorts({
  tableName: TABLE_NAME,
  queueUrl: STEP_QUEUE_URL,
  bucket: BLOB_BUCKET,
  s3Endpoint: s3Endpoint(),
});

/** Time in ms before the function's deadline at which an answer ends by itself. */
const RESERVE_MS = 10_000;

const context: AguiContext = {
  io,
  agents,
  priceOf,
  async decide() {
    throw new Refusal(409, 'Nothing to decide', { detail: 'No run of this session waits for a person.' });
  },
};

/** AG-UI over SSE, on a function URL (docs/adr/0006-sse.md). */
export const handler = streamResponse(async (event, { getRemainingTimeInMillis }) => {
  if (event.requestContext.http.method !== 'POST') throw new Refusal(405, 'Use POST', {}, { allow: 'POST' });
  const tenant = await authorize(event, () => io.secrets.get(API_TOKEN_SECRET_ID));
  const deadlineAt = io.clock.now() + getRemainingTimeInMillis() - RESERVE_MS;
  return serveAgui(event, tenant, deadlineAt, context);
});
