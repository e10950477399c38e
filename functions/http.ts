import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { MAX_IMPORT_BYTES } from '../shared/contract/history.ts';
import { MAX_BODY_BYTES } from '../shared/contract/http.ts';
import type { HttpRoute } from '../shared/contract/routes.ts';
import { authorize } from './middleware/authorize.ts';
import { unitsOfBytes } from './middleware/byte-units.ts';
import { answerInTime, problems, Refusal } from './middleware/problem.ts';
import { rawBody } from './middleware/request.ts';
import { isFree, unitsOf } from './middleware/request-units.ts';
import { httpPorts } from './ports/http.ts';
import { postAnswer } from './routes/answers.ts';
import { addMessage, createSession, wrapUpRun } from './routes/arrivals.ts';
import { linkAttachment } from './routes/attachments.ts';
import { readCallbackSecrets, tryCallback } from './routes/callbacks.ts';
import { type Route, sessionKeyOf } from './routes/context.ts';
import { postDecision } from './routes/decisions.ts';
import { description, index } from './routes/index.ts';
import { listKeys, mintKey, revokeKey } from './routes/keys.ts';
import { cancelRun, readEvents, readMessages, readSession } from './routes/reads.ts';
import { requireSeen } from './routes/seen.ts';
import { issueTicket } from './routes/tickets.ts';
import { announceUpload } from './routes/uploads.ts';
import { readWait } from './routes/waits.ts';

const { context, credentials, pace, isOutage } = httpPorts();

/** A rarely used route: its code is loaded with its first request, not at cold start. */
const seldom =
  <Name extends string>(read: () => Promise<Readonly<Record<Name, Route>>>, name: Name): Route =>
  async (...asked) =>
    (await read())[name](...asked);
const branches = () => import('./routes/branches.ts');
const files = () => import('./routes/files.ts');
const grants = () => import('./routes/grants.ts');
const history = () => import('./routes/history.ts');
const memories = () => import('./routes/memories.ts');
const steps = () => import('./routes/steps.ts');
const stepRequest = () => import('./routes/step-request.ts');
const guards = () => import('./routes/guards.ts');
const budgets = () => import('./routes/budgets.ts');
const sessions = () => import('./routes/sessions.ts');
const days = () => import('./routes/days.ts');
const deletion = () => import('./routes/deletion.ts');
const people = () => import('./routes/people.ts');
const schedules = () => import('./routes/schedules.ts');
const tenantKeys = () => import('./routes/tenant-keys.ts');
const mcp = () => import('./routes/mcp.ts');
const a2a = async () => ({ serveA2a: (await import('./routes/a2a.ts')).serveA2a });
const deadDeliveries = () => import('./routes/dead-deliveries.ts');

const routes: Record<Exclude<HttpRoute, Open>, Route> = {
  'POST /sessions': createSession,
  'POST /sessions/import': seldom(history, 'postImport'),
  'GET /sessions': seldom(sessions, 'listSessions'),
  'GET /sessions/{sessionId}': readSession,
  'PATCH /sessions/{sessionId}': seldom(sessions, 'renameSession'),
  'DELETE /sessions/{sessionId}': seldom(deletion, 'deleteSession'),
  'POST /sessions/{sessionId}/messages': addMessage,
  'GET /sessions/{sessionId}/messages': readMessages,
  'GET /sessions/{sessionId}/export': seldom(history, 'exportSession'),
  'GET /sessions/{sessionId}/attachments/{hash}': linkAttachment,
  'GET /sessions/{sessionId}/events': readEvents,
  'GET /sessions/{sessionId}/steps': seldom(steps, 'listSteps'),
  'GET /sessions/{sessionId}/steps/{slot}': seldom(steps, 'readStep'),
  'GET /sessions/{sessionId}/steps/{slot}/request': seldom(stepRequest, 'readStepRequest'),
  'GET /sessions/{sessionId}/guards': seldom(guards, 'replayGuards'),
  'GET /sessions/{sessionId}/waits/{waitId}': readWait,
  'GET /sessions/{sessionId}/state': seldom(() => import('./routes/page-state.ts'), 'readState'),
  'GET /sessions/{sessionId}/files': seldom(files, 'listFiles'),
  'POST /sessions/{sessionId}/restore': seldom(files, 'postRestore'),
  'POST /sessions/{sessionId}/decisions': postDecision,
  'POST /sessions/{sessionId}/answers': seldom(() => import('./routes/answer-of-page.ts'), 'postPageAnswer'),
  'DELETE /sessions/{sessionId}/grants/{grantId}': seldom(grants, 'revokeGrant'),
  'POST /sessions/{sessionId}/cancel': cancelRun,
  'POST /sessions/{sessionId}/wrap-up': wrapUpRun,
  'POST /sessions/{sessionId}/retry': seldom(() => import('./routes/retry.ts'), 'retrySession'),
  'POST /sessions/{sessionId}/callback/try': tryCallback,
  'POST /sessions/{sessionId}/edit': seldom(branches, 'editMessage'),
  'POST /sessions/{sessionId}/fork': seldom(branches, 'forkSession'),
  'GET /sessions/{sessionId}/forks': seldom(branches, 'listForks'),
  'GET /sessions/{sessionId}/feedback': seldom(() => import('./routes/feedback.ts'), 'listFeedback'),
  'GET /memories': seldom(memories, 'listMemories'),
  'DELETE /memories': seldom(memories, 'forgetMemories'),
  'DELETE /memories/{memoryId}': seldom(memories, 'forgetMemory'),
  'POST /schedules': seldom(schedules, 'postSchedule'),
  'GET /schedules': seldom(schedules, 'listSchedules'),
  'GET /schedules/{scheduleId}': seldom(schedules, 'readSchedule'),
  'DELETE /schedules/{scheduleId}': seldom(schedules, 'deleteSchedule'),
  'POST /schedules/{scheduleId}/pause': seldom(schedules, 'postPause'),
  'POST /schedules/{scheduleId}/resume': seldom(schedules, 'postResume'),
  'POST /schedules/{scheduleId}/run': seldom(schedules, 'postRun'),
  'GET /schedules/{scheduleId}/history': seldom(schedules, 'readTicks'),
  'DELETE /people/{user}': seldom(people, 'erasePerson'),
  'GET /people/{user}': seldom(people, 'readErasure'),
  'GET /tenants/{tenant}/key': seldom(tenantKeys, 'readTenantKey'),
  'DELETE /tenants/{tenant}/key': seldom(tenantKeys, 'deleteTenantKey'),
  'GET /callbacks/secrets': readCallbackSecrets,
  'GET /hooks/dead': seldom(deadDeliveries, 'listDead'),
  'POST /hooks/dead/redrive': seldom(deadDeliveries, 'redriveAllDead'),
  'GET /hooks/dead/{deliveryId}': seldom(deadDeliveries, 'readDead'),
  'POST /hooks/dead/{deliveryId}/redrive': seldom(deadDeliveries, 'redriveDead'),
  'GET /budgets': seldom(budgets, 'readBudget'),
  'PUT /budgets': seldom(budgets, 'setBudget'),
  'GET /history': seldom(days, 'readHistory'),
  'POST /uploads': announceUpload,
  'POST /tickets': issueTicket,
  'POST /keys': mintKey,
  'GET /keys': listKeys,
  'POST /keys/{keyId}/revoke': revokeKey,
  'POST /mcp': seldom(mcp, 'serveMcp'),
  'GET /mcp': seldom(mcp, 'refuseMcp'),
  'DELETE /mcp': seldom(mcp, 'refuseMcp'),
  'POST /a2a/{agent}': seldom(a2a, 'serveA2a'),
};

/** Routes that require no credential. */
type Open =
  | 'GET /'
  | 'GET /openapi.json'
  | 'GET /a2a/{agent}/.well-known/agent-card.json'
  | 'POST /callbacks/{token}'
  | 'POST /callbacks/{token}/progress';

/** The HTTP API: JSON in and out, errors as RFC 9457 problem documents. */
export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>(answerInTime)
  .use(problems(isOutage))
  .handler(async (event) => {
    if (event.routeKey === 'GET /') return index(context.agents);
    if (event.routeKey === 'GET /openapi.json') return description();
    if (event.routeKey === 'GET /a2a/{agent}/.well-known/agent-card.json')
      return (await import('./routes/a2a.ts')).agentCard(event, context);
    if (event.routeKey === 'POST /callbacks/{token}') return postAnswer(event, context.io);
    if (event.routeKey === 'POST /callbacks/{token}/progress')
      return (await import('./routes/progress.ts')).postProgress(event, context.io);
    const route = isRoute(event.routeKey) ? routes[event.routeKey] : undefined;
    if (!route) throw new Refusal(404, 'No such route');
    rawBody(event, event.routeKey === 'POST /sessions/import' ? MAX_IMPORT_BYTES : MAX_BODY_BYTES);
    const caller = await authorize(event, credentials);
    const asked = { tenant: caller.tenant, at: event.requestContext.timeEpoch, units: unitsOf(event) };
    if (!isFree(event)) await pace.admit(asked);
    if (!isOfKeys(event.routeKey)) await context.tenantKeys?.requireLiving(caller.tenant);
    if (event.pathParameters?.sessionId !== undefined && !isOfDeciders(event.routeKey))
      await requireSeen(sessionKeyOf(event, caller), caller, context.io);
    const answer = await route(event, caller, context);
    pace.spent(asked, unitsOfBytes(answer.body?.length ?? 0));
    return answer;
  });

/** Routes that a tenant keeps when its key was deleted. */
const isOfKeys = (key: string): boolean => key.endsWith(' /tenants/{tenant}/key');

/** Routes for people who decide. There the agent says who may decide, and it does not matter who owns the session. */
const isOfDeciders = (key: string): boolean =>
  key === 'GET /sessions/{sessionId}/waits/{waitId}' || key === 'POST /sessions/{sessionId}/decisions';

const isRoute = (key: string): key is keyof typeof routes => Object.hasOwn(routes, key);
