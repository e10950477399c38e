import { authorize } from './middleware/authorize.ts';
import { Refusal } from './middleware/problem.ts';
import { streamResponse } from './middleware/stream-response.ts';
import { aguiPorts } from './ports/agui.ts';
import { serveAgui } from './routes/agui.ts';

const { context, credentials } = aguiPorts();

/** Time in ms before the function's deadline at which an answer ends by itself. */
const RESERVE_MS = 10_000;

/** AG-UI over SSE, on a function URL (docs/adr/0007-sse.md). */
export const handler = streamResponse(async (event, { getRemainingTimeInMillis }) => {
  if (event.requestContext.http.method !== 'POST') throw new Refusal(405, 'Use POST', {}, { allow: 'POST' });
  const caller = await authorize(event, credentials);
  const deadlineAt = context.io.clock.now() + getRemainingTimeInMillis() - RESERVE_MS;
  return serveAgui(event, caller, deadlineAt, context);
}, context.isOutage);
