import definition from '#definition';
import { authorize } from './middleware/authorize.ts';
import { asSent, requireEdge } from './middleware/edge.ts';
import { pacedPage } from './middleware/paced-page.ts';
import { Refusal } from './middleware/problem.ts';
import { streamResponse } from './middleware/stream-response.ts';
import { pagePorts } from './ports/agui.ts';
import { serveAgui } from './routes/agui.ts';

const { context, credentials, pace, edgeSecret, tenantKeys } = pagePorts();

/** Time in ms before the function's deadline at which an answer ends by itself. */
const RESERVE_MS = 10_000;

/** AG-UI over SSE, and the AI SDK's chat, on a function URL (docs/adr/0007-sse.md). */
export const handler = streamResponse(async (event, { getRemainingTimeInMillis }) => {
  await requireEdge(event.headers, edgeSecret);
  const { method } = event.requestContext.http;
  const isChat = event.rawPath.split('/')[1] === 'chat';
  if (!(isChat ? definition.chat : definition.agui))
    throw new Refusal(404, 'No such route', { detail: isOff });
  if (!isChat && method !== 'POST') throw new Refusal(405, 'Use POST', {}, { allow: 'POST' });
  if (method !== 'POST' && method !== 'GET')
    throw new Refusal(405, 'Use GET or POST', {}, { allow: 'GET, POST' });
  const caller = await authorize({ headers: asSent(event.headers) }, credentials);
  await tenantKeys?.requireLiving(caller.tenant);
  const deadlineAt = context.io.clock.now() + getRemainingTimeInMillis() - RESERVE_MS;
  // A deployment without the chat loads none of its code.
  const serve = isChat ? (await import('./routes/chat.ts')).serveChat : serveAgui;
  return pacedPage(event, caller, pace, () => serve(event, caller, deadlineAt, context));
}, context.isOutage);

const isOff = 'This interface is off. Set agui: true or chat: true in defineDeployment to turn it on.';
