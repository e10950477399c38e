/** Every route that callers use: its input, its answers and its refusals. `openapi.json` is generated from it. */
import * as z from 'zod';
import { RunAgentInput } from './ag-ui-input.ts';
import * as answers from './answers.ts';
import { EditBody, ForkBody } from './branches.ts';
import { TenantLimits } from './budgets.ts';
import { ChatInput } from './chat/input.ts';
import { ChatResume } from './chat/state.ts';
import { DaysQuery } from './days.ts';
import { DeadDeliveryId, DeadQuery, RedriveBody } from './dead-deliveries.ts';
import { ExportQuery, ImportSession } from './history.ts';
import {
  AnswerBody,
  DecisionBody,
  EventsQuery,
  FilesQuery,
  IdempotencyKey,
  JsonRpcBody,
  MessagesQuery,
  ProgressBody,
  RestoreBody,
  type SocketRequest,
} from './http.ts';
import { CreateKey, KeyId } from './identity.ts';
import { RenameBody, SessionsQuery } from './listing-queries.ts';
import { ForgetQuery, MemoriesQuery, MemoryId } from './memories.ts';
import { UploadBody } from './message.ts';
import { AddMessageBody, CreateSessionBody, PageAnswerBody } from './page-input.ts';
import { Subject } from './people.ts';
import { ReplayQuery } from './replays.ts';
import type { aguiRoutes, chatRoutes, HttpRoute, hookRoutes } from './routes.ts';
import { CreateSchedule, SchedulesQuery, TicksQuery } from './schedules.ts';
import { AgentName, ScheduleId, SessionId, Tenant } from './session.ts';
import { StepsQuery } from './steps.ts';
import { ConfirmQuery } from './tenant-keys.ts';

/** Titles of problems by their status. */
export type Problems = Readonly<Partial<Record<number, readonly string[]>>>;

export interface Operation {
  readonly summary: string;
  /**
   * The callers that are allowed: everyone, any caller with a credential, an administrator of the tenant, the signer of
   * the request, or the holder of the token in its path.
   */
  readonly access: 'open' | 'caller' | 'admin' | 'signed' | 'token';
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body may be omitted. */
  readonly bodyIsOptional?: true;
  /** By status; a text is the content type of an answer that is not JSON. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>;
  /** In addition to those of every route, and of every route with a body. */
  readonly problems?: Problems;
}

const agent = z.object({ agent: AgentName });
const session = z.object({ sessionId: SessionId });
const person = z.object({ user: Subject });
const schedule = z.object({ scheduleId: ScheduleId });
const tenant = z.object({ tenant: Tenant });
const noSchedule: Problems = { 404: ['No such schedule'] };
const ownSchedule: Problems = { 403: ['Not allowed'], ...noSchedule };
const repeatable = z.object({ 'idempotency-key': IdempotencyKey.optional() });
const noSession: Problems = { 404: ['No such session'] };
/** A chat of the AI SDK. Any name leads to a session. */
const chat = z.object({ chatId: z.string().min(1) });
const throughEdge: Problems = { 403: ['Not through CloudFront'] };
const noRoute: Problems = {
  ...throughEdge,
  404: ['No such route', 'No such session'],
  405: ['Use GET or POST'],
};
const arriving: Problems = {
  409: ['Upload used before', 'Upload not finished'],
  422: ['Idempotency-Key reused', 'Unusable upload', 'Session cannot begin'],
  429: ['Too many messages', 'Too many sessions', 'Inbox full'],
};

/** May answer any route. */
export const anyProblems: Problems = { 500: ['Internal error'], 503: ['Service unavailable'] };
/**
 * May answer a route that authenticates its caller. The size of its body is checked before that, even if the route
 * reads no body.
 */
export const callerProblems: Problems = {
  401: ['Not authorized'],
  403: ['No tenant'],
  410: ['Key deleted'],
  413: ['Body too large'],
  429: ['Too many requests'],
  503: ['Identity provider unreachable'],
};
/** May answer a route that only administrators of the tenant may call. */
export const adminProblems: Problems = { 403: ['Not allowed'] };
/** May answer a route that reads a body, or a query. */
export const bodyProblems: Problems = { 400: ['Malformed JSON', 'Invalid body'] };
export const queryProblems: Problems = { 400: ['Invalid query'] };

export const operations: Readonly<
  Record<
    HttpRoute | (typeof hookRoutes)[number] | (typeof aguiRoutes)[number] | (typeof chatRoutes)[number],
    Operation
  >
> = {
  'GET /': {
    summary: 'The agents and routes of this deployment.',
    access: 'open',
    answers: { 200: answers.IndexBody },
  },
  'GET /openapi.json': {
    summary: 'This document.',
    access: 'open',
    answers: { 200: z.looseObject({ openapi: z.string() }) },
  },
  'POST /sessions': {
    summary:
      'Starts a session with its first message. An Idempotency-Key makes repeated requests start it once.',
    access: 'caller',
    headers: repeatable,
    body: CreateSessionBody,
    answers: { 201: answers.AcceptedBody },
    problems: {
      400: ['Invalid Idempotency-Key header', 'Unknown time zone'],
      404: ['No such agent', 'No such session', 'No such upload'],
      410: ['Session deleted'],
      ...arriving,
    },
  },
  'POST /sessions/import': {
    summary:
      'Imports a conversation as a new session, which rests until its next message. An Idempotency-Key makes repeated requests import it once.',
    access: 'caller',
    headers: repeatable,
    body: ImportSession,
    answers: { 201: answers.ImportedBody },
    problems: {
      400: ['Invalid Idempotency-Key header', 'Unusable history'],
      404: ['No such agent', 'No such session', 'No such upload'],
      ...arriving,
    },
  },
  'GET /sessions': {
    summary: 'Sessions, the most recently active first: all of the tenant, or those that the caller may see.',
    access: 'caller',
    query: SessionsQuery,
    answers: { 200: answers.SessionsBody },
    problems: adminProblems,
  },
  'GET /sessions/{sessionId}': {
    summary: 'State, totals, counters of guards, and how the last run ended.',
    access: 'caller',
    path: session,
    answers: { 200: answers.SessionBody },
    problems: noSession,
  },
  'PATCH /sessions/{sessionId}': {
    summary: 'Sets the title of a session, or replaces its metadata.',
    access: 'caller',
    path: session,
    body: RenameBody,
    answers: { 200: answers.RowBody },
    problems: noSession,
  },
  'DELETE /sessions/{sessionId}': {
    summary: 'Deletes a session at rest, and all of its stored data. The memories of its agent stay.',
    access: 'caller',
    path: session,
    answers: { 202: answers.DeletedBody },
    problems: { ...noSession, 409: ['Session not at rest', 'Session has forks'] },
  },
  'POST /sessions/{sessionId}/messages': {
    summary: 'Starts a run, or joins the current one at its next step.',
    access: 'caller',
    path: session,
    headers: repeatable,
    body: AddMessageBody,
    answers: { 202: answers.AcceptedBody },
    problems: {
      400: ['Invalid Idempotency-Key header', 'Unknown time zone'],
      404: ['No such session', 'No such upload'],
      ...arriving,
    },
  },
  'GET /sessions/{sessionId}/messages': {
    summary: 'The conversation as people see it, in pages: pass `next` as `from` until it is absent.',
    access: 'caller',
    path: session,
    query: MessagesQuery,
    answers: { 200: answers.MessagesBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/export': {
    summary:
      'The conversation as messages of another API, in pages: pass `next` as `from` until it is absent.',
    access: 'caller',
    path: session,
    query: ExportQuery,
    answers: { 200: answers.ExportedBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/attachments/{hash}': {
    summary: 'A link to the bytes of an attachment of the session, valid for five minutes.',
    access: 'caller',
    path: session.extend({ hash: z.string() }),
    answers: { 200: answers.AttachmentLinkBody },
    problems: { 404: ['No such session', 'No such attachment'] },
  },
  'GET /sessions/{sessionId}/events': {
    summary: 'The event frames after a cursor: pass `next` as `after` until none come.',
    access: 'caller',
    path: session,
    query: EventsQuery,
    answers: { 200: answers.EventsBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/steps': {
    summary:
      'The work, time and cost of each step, and who decided what, in pages: pass `next` as `from` until it is absent.',
    access: 'caller',
    path: session,
    query: StepsQuery,
    answers: { 200: answers.StepsBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/steps/{slot}': {
    summary: 'One step in full: the new parts of its request, the reply, and the results of its calls.',
    access: 'caller',
    path: session.extend({ slot: z.string() }),
    answers: { 200: answers.StepBody },
    problems: { 404: ['No such session', 'No such step'] },
  },
  'GET /sessions/{sessionId}/steps/{slot}/request': {
    summary:
      'The full model request of a step: prompt, tools, messages. For callers who may see all sessions.',
    access: 'caller',
    path: session.extend({ slot: z.string() }),
    answers: { 200: answers.StepRequestBody },
    problems: { 403: ['Not allowed'], 404: ['No such session', 'No such step'] },
  },
  'GET /sessions/{sessionId}/guards': {
    summary: 'The verdicts that the guards of each preset would have given on the stored runs of a session.',
    access: 'caller',
    path: session,
    query: ReplayQuery,
    answers: { 200: answers.ReplayBody },
    problems: { 400: ['No such preset'], 404: ['No such session'], 422: ['Run too long'] },
  },
  'GET /sessions/{sessionId}/waits/{waitId}': {
    summary: 'One wait of the run, with the full input of its call.',
    access: 'caller',
    path: session.extend({ waitId: z.string() }),
    answers: { 200: answers.WaitDetailsBody },
    problems: { 404: ['No such session', 'No such wait'] },
  },
  'GET /sessions/{sessionId}/state': {
    summary: "The state that the session's pages and its model share; `null` if there is none.",
    access: 'caller',
    path: session,
    answers: { 200: answers.StateBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/files': {
    summary:
      'Files of the session, as they are or were after a turn, in pages: pass `next` as `after`. With `path`, one file with a link.',
    access: 'caller',
    path: session,
    query: FilesQuery,
    answers: { 200: answers.FilesBody },
    problems: { 404: ['No such session', 'No such turn', 'No such file'] },
  },
  'POST /sessions/{sessionId}/restore': {
    summary: 'Restores the files of the session to their state after a turn.',
    access: 'caller',
    path: session,
    body: RestoreBody,
    answers: { 200: answers.RestoredBody },
    problems: { 404: ['No such session', 'No such turn'], 409: ['Session busy'] },
  },
  'POST /sessions/{sessionId}/decisions': {
    summary: 'Approves or denies a call, or answers a question. 202: it counts; 200: it did so before.',
    access: 'caller',
    path: session,
    body: DecisionBody,
    answers: { 200: answers.DecidedBody, 202: answers.DecidedBody },
    problems: {
      400: ['Nothing to grant', 'No such change'],
      403: ['You may not decide this'],
      404: ['No such session', 'Nothing to decide'],
      409: ['Already decided'],
      503: ['Session busy'],
    },
  },
  'POST /sessions/{sessionId}/answers': {
    summary: "A page's answer to a call of a tool that the page offers. It counts once.",
    access: 'caller',
    path: session,
    body: PageAnswerBody,
    answers: { 202: answers.PageAnsweredBody },
    problems: {
      403: ['You may not decide this'],
      404: ['No such session'],
      409: ['Not waited for'],
    },
  },
  'DELETE /sessions/{sessionId}/grants/{grantId}': {
    summary: 'Revokes a grant: calls that have not begun are asked about again.',
    access: 'caller',
    path: session.extend({ grantId: z.string() }),
    answers: { 200: answers.RevokedBody },
    problems: { 403: ['You may not decide this'], 404: ['No such session', 'No such grant'] },
  },
  'POST /sessions/{sessionId}/cancel': {
    summary: 'Stops the run.',
    access: 'caller',
    path: session,
    answers: { 202: answers.CancelledBody },
    problems: noSession,
  },
  'POST /sessions/{sessionId}/wrap-up': {
    summary: 'Asks the run for a summary, and ends it.',
    access: 'caller',
    path: session,
    headers: repeatable,
    answers: { 202: answers.WrapUpBody },
    problems: {
      400: ['Invalid Idempotency-Key header'],
      ...noSession,
      422: ['Idempotency-Key reused'],
      429: ['Inbox full'],
    },
  },
  'POST /sessions/{sessionId}/retry': {
    summary: 'Starts a run that continues where the last one ended before it was done.',
    access: 'caller',
    path: session,
    headers: repeatable,
    answers: { 202: answers.AcceptedBody },
    problems: {
      400: ['Invalid Idempotency-Key header'],
      ...noSession,
      409: ['Nothing to retry'],
      422: ['Idempotency-Key reused'],
      429: ['Too many messages', 'Too many sessions', 'Inbox full'],
    },
  },
  'POST /sessions/{sessionId}/callback/try': {
    summary:
      'Tries the callback of the session at once, if it waits for its next try or was disabled by a 410.',
    access: 'caller',
    path: session,
    answers: { 202: answers.CallbackBody },
    problems: { 404: ['No such session', 'No callback'] },
  },
  'POST /sessions/{sessionId}/edit': {
    summary: 'Edits a message, in a new session that shares everything before it. This one stays as it is.',
    access: 'caller',
    path: session,
    headers: repeatable,
    body: EditBody,
    answers: { 201: answers.ForkedBody },
    problems: {
      400: ['Invalid Idempotency-Key header'],
      403: ['Not allowed'],
      404: ['No such session', 'No such message', 'No such upload'],
      ...arriving,
      409: ['Upload used before', 'Upload not finished', 'Too many forks'],
    },
  },
  'POST /sessions/{sessionId}/fork': {
    summary:
      'Forks a session: the new one shares everything up to a step. An Idempotency-Key makes repeated requests fork it once.',
    access: 'caller',
    path: session,
    headers: repeatable,
    body: ForkBody,
    bodyIsOptional: true,
    answers: { 201: answers.ForkedBody },
    problems: {
      400: ['Invalid Idempotency-Key header'],
      403: ['Not allowed'],
      404: ['No such session', 'No such step', 'No such upload'],
      ...arriving,
      409: ['Upload used before', 'Upload not finished', 'Too many forks'],
    },
  },
  'GET /sessions/{sessionId}/forks': {
    summary: 'Forks of this session, oldest first, as far as the caller may see them.',
    access: 'caller',
    path: session,
    answers: { 200: answers.ForksBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/feedback': {
    summary: 'People’s ratings of the session’s answers, by run and person.',
    access: 'caller',
    path: session,
    answers: { 200: answers.FeedbackBody },
    problems: noSession,
  },
  'GET /memories': {
    summary:
      'The agents’ memories of the caller; with scope `tenant`, the shared ones, for those who may administer them.',
    access: 'caller',
    query: MemoriesQuery,
    answers: { 200: answers.MemoriesBody },
    problems: adminProblems,
  },
  'DELETE /memories': {
    summary: 'Deletes a whole memory. With `user`, that of another user, for administrators of the tenant.',
    access: 'caller',
    query: ForgetQuery,
    answers: { 200: answers.ForgottenBody },
    problems: adminProblems,
  },
  'DELETE /memories/{memoryId}': {
    summary:
      'Deletes one fact for good: one of the caller’s own, or a shared one, for administrators of the tenant.',
    access: 'caller',
    path: z.object({ memoryId: MemoryId }),
    answers: { 200: answers.ForgottenBody },
    problems: { ...adminProblems, 404: ['No such memory'] },
  },
  'POST /schedules': {
    summary:
      'Creates a schedule, which begins runs by the clock in the name of the caller. An Idempotency-Key makes repeated requests create it once.',
    access: 'caller',
    headers: repeatable,
    body: CreateSchedule,
    answers: { 201: answers.ScheduleBody },
    problems: {
      400: ['Invalid Idempotency-Key header'],
      404: ['No such agent', 'No such session'],
      422: ['Idempotency-Key reused'],
      429: ['Too many schedules'],
    },
  },
  'GET /schedules': {
    summary: 'Schedules of the tenant that the caller may see, by id: pass `next` as `after`.',
    access: 'caller',
    query: SchedulesQuery,
    answers: { 200: answers.SchedulesBody },
  },
  'GET /schedules/{scheduleId}': {
    summary: 'A schedule, and how far it has got.',
    access: 'caller',
    path: schedule,
    answers: { 200: answers.ScheduleBody },
    problems: noSchedule,
  },
  'DELETE /schedules/{scheduleId}': {
    summary: 'Deletes a schedule that the API has created. Runs that have begun go on.',
    access: 'caller',
    path: schedule,
    answers: { 200: answers.DeletedScheduleBody },
    problems: { ...ownSchedule, 409: ['Declared schedule'] },
  },
  'POST /schedules/{scheduleId}/pause': {
    summary: 'Stops a schedule from beginning runs until it is resumed.',
    access: 'caller',
    path: schedule,
    answers: { 200: answers.ScheduleBody },
    problems: ownSchedule,
  },
  'POST /schedules/{scheduleId}/resume': {
    summary: 'Lets a schedule go on, with its first tick after now.',
    access: 'caller',
    path: schedule,
    answers: { 200: answers.ScheduleBody },
    problems: ownSchedule,
  },
  'POST /schedules/{scheduleId}/run': {
    summary: 'Begins one more tick now, even if the schedule is paused.',
    access: 'caller',
    path: schedule,
    answers: { 202: answers.RunScheduleBody },
    problems: { ...ownSchedule, 429: ['Too many ticks wait'] },
  },
  'GET /schedules/{scheduleId}/history': {
    summary: 'Outcomes of the ticks of the last 90 days, the last one first: pass `next` as `before`.',
    access: 'caller',
    path: schedule,
    query: TicksQuery,
    answers: { 200: answers.TicksBody },
    problems: noSchedule,
  },
  'DELETE /people/{user}': {
    summary:
      'Deletes everything that is stored of one person of the tenant: sessions that they began, memories, uploads.',
    access: 'admin',
    path: person,
    answers: { 202: answers.ErasureBody },
    problems: { 400: ['Not a subject'] },
  },
  'GET /people/{user}': {
    summary: 'How far the deletion of a person’s data has got, until 30 days after its end.',
    access: 'admin',
    path: person,
    answers: { 200: answers.ErasureBody },
    problems: { 400: ['Not a subject'], 404: ['No such deletion'] },
  },
  'GET /tenants/{tenant}/key': {
    summary: 'Whether the data key of the caller’s tenant lives (docs/deploy.md).',
    access: 'admin',
    path: tenant,
    answers: { 200: answers.TenantKeyBody },
    problems: { 404: ['No such tenant'], 409: ['Tenant keys are off'] },
  },
  'DELETE /tenants/{tenant}/key': {
    summary:
      'Deletes the data key of the caller’s tenant for good: all that is stored of it becomes unreadable, and nothing more is accepted for it.',
    access: 'admin',
    path: tenant,
    query: ConfirmQuery,
    answers: { 200: answers.TenantKeyBody },
    problems: { 400: ['Not confirmed'], 404: ['No such tenant'], 409: ['Tenant keys are off'] },
  },
  'GET /callbacks/secrets': {
    summary: 'The secrets with which the tenant verifies callbacks: more than one during a rotation.',
    access: 'admin',
    answers: { 200: answers.CallbackSecretsBody },
  },
  'POST /callbacks/{token}': {
    summary:
      'Answers a call that is answered later. 202: it counts; 200: the same answer did so before. With `a2a`, the body is a notification of an A2A server.',
    access: 'token',
    path: z.object({ token: z.string() }),
    query: z.object({ a2a: z.string().optional() }),
    body: AnswerBody,
    answers: { 200: answers.AnsweredBody, 202: answers.AnsweredBody },
    problems: { 404: ['No such callback'], 410: ['Too late', 'Key deleted'], 413: ['Body too large'] },
  },
  'POST /callbacks/{token}/progress': {
    summary:
      'Reports the progress of a call that is answered later. It does not answer the call, and the token stays valid.',
    access: 'token',
    path: z.object({ token: z.string() }),
    body: ProgressBody,
    answers: { 202: answers.ToldBody },
    problems: {
      404: ['No such callback'],
      410: ['Too late', 'Key deleted'],
      413: ['Body too large'],
      429: ['Too often', 'Too many'],
    },
  },
  'GET /hooks/dead': {
    summary: 'Deliveries of webhooks that could not be carried out, oldest first.',
    access: 'admin',
    query: DeadQuery,
    answers: { 200: answers.DeadListBody },
  },
  'POST /hooks/dead/redrive': {
    summary: 'Retries them, as many as there is time for.',
    access: 'admin',
    body: RedriveBody,
    bodyIsOptional: true,
    answers: { 200: answers.RedrivenAllBody },
  },
  'GET /hooks/dead/{deliveryId}': {
    summary: 'One of them, with its body.',
    access: 'admin',
    path: z.object({ deliveryId: DeadDeliveryId }),
    answers: { 200: answers.DeadBody },
    problems: { 404: ['No such delivery'] },
  },
  'POST /hooks/dead/{deliveryId}/redrive': {
    summary: 'Retries one of them. 200: its mapping now ignores it.',
    access: 'admin',
    path: z.object({ deliveryId: DeadDeliveryId }),
    answers: { 200: answers.IgnoredBody, 202: answers.RedrivenBody },
    problems: { 404: ['No such delivery'], 409: ['It failed again'] },
  },
  'GET /budgets': {
    summary:
      'The daily limits of the tenant, and its use today, for callers who may see all of its sessions.',
    access: 'caller',
    answers: { 200: answers.BudgetBody },
    problems: adminProblems,
  },
  'PUT /budgets': {
    summary: 'Sets the tenant’s own limits; where one is left out, the deployment’s holds.',
    access: 'admin',
    body: TenantLimits,
    answers: { 200: answers.BudgetBody },
    problems: { 409: ['Budgets are off'] },
  },
  'GET /history': {
    summary:
      'The last days of the tenant: runs, failures, durations and cost, for callers who may see all of its sessions.',
    access: 'caller',
    query: DaysQuery,
    answers: { 200: answers.DaysBody },
    problems: adminProblems,
  },
  'POST /uploads': {
    summary: 'Announces an attachment of a message: PUT its bytes to `url`, and name `id` in the message.',
    access: 'caller',
    body: UploadBody,
    answers: { 201: answers.UploadedBody },
  },
  'POST /tickets': {
    summary: 'A ticket that opens one WebSocket connection within a minute.',
    access: 'caller',
    answers: { 201: answers.TicketBody },
  },
  'POST /keys': {
    summary: 'Mints an API key of the tenant.',
    access: 'admin',
    body: CreateKey,
    answers: { 201: answers.MintedKeyBody },
  },
  'GET /keys': {
    summary: 'The keys of the tenant, including revoked ones.',
    access: 'admin',
    answers: { 200: answers.KeysBody },
  },
  'POST /keys/{keyId}/revoke': {
    summary: 'Revokes a key for good.',
    access: 'admin',
    path: z.object({ keyId: KeyId }),
    answers: { 200: answers.KeyBody },
    problems: { 404: ['No such key'] },
  },
  'POST /mcp': {
    summary: 'MCP over streamable HTTP, if the definition says `mcp: true`: each agent is a tool.',
    access: 'caller',
    body: JsonRpcBody,
    answers: { 200: JsonRpcBody, 202: 'application/json' },
    problems: { 405: ['Use POST'] },
  },
  'GET /mcp': {
    summary: 'Refused: this MCP server has no stream to listen to.',
    access: 'caller',
    answers: {},
    problems: { 405: ['Use POST'] },
  },
  'DELETE /mcp': {
    summary: 'Refused: this MCP server keeps no sessions.',
    access: 'caller',
    answers: {},
    problems: { 405: ['Use POST'] },
  },
  'GET /a2a/{agent}/.well-known/agent-card.json': {
    summary: 'The agent card of A2A, if the definition says `a2a: true`.',
    access: 'open',
    path: agent,
    answers: { 200: z.looseObject({ name: AgentName, url: z.string() }) },
    problems: { 404: ['No such agent'] },
  },
  'POST /a2a/{agent}': {
    summary:
      'An agent over A2A (JSON-RPC, versions 1.0 and 0.3). A session is a context, and a run is a task.',
    access: 'caller',
    path: agent,
    body: JsonRpcBody,
    answers: { 200: JsonRpcBody },
    problems: { 404: ['No such agent'], 429: ['Too many messages', 'Too many sessions', 'Inbox full'] },
  },
  'POST /hooks/{source}': {
    summary: 'A delivery of a webhook, signed as its source requires. 202: accepted; 200: it has no effect.',
    access: 'signed',
    path: z.object({ source: z.string() }),
    body: z.unknown(),
    answers: { 200: answers.TakenBeforeBody, 202: answers.TakenBody },
    problems: {
      400: ['Malformed body', 'Malformed JSON', 'Malformed event', 'Missing headers'],
      401: ['Wrong signature'],
      404: ['No such webhook'],
      410: ['Key deleted'],
    },
  },
  'GET /hooks/{source}': {
    summary: 'Answers the sender of a webhook that checks this URL, if the source declares a `challenge`.',
    access: 'open',
    path: z.object({ source: z.string() }),
    answers: { 200: 'text/plain' },
    problems: { 404: ['No such webhook', 'No such challenge'] },
  },
  'POST /agui': {
    summary:
      'At the output `AguiUrl`, followed by `/{agent}`, `/connect` or both: a session in the form that AG-UI’s `HttpAgent` expects.',
    access: 'caller',
    body: RunAgentInput,
    answers: { 200: 'text/event-stream' },
    problems: {
      400: ['Unusable message', 'Nothing to grant', 'No such change'],
      403: ['You may not decide this', 'Not through CloudFront'],
      404: ['No such route', 'No such agent', 'No such session', 'Nothing to decide'],
      405: ['Use POST'],
      409: ['Thread of another agent', 'Already decided'],
      422: ['Message id reused', 'Reserved thread id', 'Session cannot begin'],
      429: ['Too many messages', 'Too many sessions', 'Too many streams', 'Inbox full'],
      503: ['Session busy'],
    },
  },
  'POST /chat': {
    summary:
      'At the output `ChatUrl`, followed by `/{agent}`: accepts the requests of `useChat` of the AI SDK, and answers with its UI message stream.',
    access: 'caller',
    body: ChatInput,
    answers: { 200: 'text/event-stream' },
    problems: {
      400: ['Unusable message', 'Nothing new'],
      403: ['You may not decide this', 'Not through CloudFront'],
      404: ['No such route', 'No such agent', 'No such session', 'Nothing to decide'],
      405: ['Use GET or POST'],
      409: ['Thread of another agent', 'Already decided', 'A sent message cannot be changed'],
      422: ['Message id reused', 'Reserved thread id', 'Session cannot begin'],
      429: ['Too many messages', 'Too many sessions', 'Too many streams', 'Inbox full'],
      503: ['Session busy'],
    },
  },
  'GET /chat/{chatId}/stream': {
    summary: 'At `ChatUrl`: the current answer, from its beginning. 204: there is none.',
    access: 'caller',
    path: chat,
    answers: { 200: 'text/event-stream', 204: 'nothing' },
    problems: { ...noRoute, 429: ['Too many streams'] },
  },
  'POST /chat/{chatId}/stream': {
    summary: 'At `ChatUrl`: the rest of an answer that had to end before its run did.',
    access: 'caller',
    path: chat,
    body: ChatResume,
    answers: { 200: 'text/event-stream' },
    problems: { ...noRoute, 429: ['Too many streams'] },
  },
  'POST /chat/{chatId}/stop': {
    summary: 'At `ChatUrl`: stops the run.',
    access: 'caller',
    path: chat,
    answers: { 202: answers.StoppedBody },
    problems: noRoute,
  },
  'GET /chat/{chatId}/messages': {
    summary: 'At `ChatUrl`: the chat so far, as messages of the AI SDK.',
    access: 'caller',
    path: chat,
    answers: { 200: answers.ChatMessagesBody },
    problems: noRoute,
  },
  'GET /chat/{chatId}/waits': {
    summary: 'At `ChatUrl`: what the run still waits for, so that a page learns of decisions made elsewhere.',
    access: 'caller',
    path: chat,
    answers: { 200: answers.ChatWaitsBody },
    problems: noRoute,
  },
};

/** Problems of each action over the WebSocket, in addition to those of all (`socketProblems`). */
export const actionProblems: Readonly<Record<SocketRequest['action'], Problems>> = {
  subscribe: { 404: ['No such session'], 429: ['Too many subscribers'] },
  unsubscribe: { 404: ['No such session'] },
  cancel: { 404: ['No such session'] },
  decide: {
    400: ['Nothing to grant', 'No such change'],
    403: ['You may not decide this'],
    404: ['No such session', 'Nothing to decide'],
    409: ['Already decided'],
    503: ['Session busy'],
  },
  ping: {},
};
/** May answer any action. */
export const socketProblems: Problems = {
  400: ['Malformed JSON', 'Invalid request'],
  401: ['Not connected', 'Credential expired'],
  410: ['Key deleted'],
  413: ['Message too large'],
  429: ['Too many requests'],
  500: ['Internal error'],
  503: ['Service unavailable'],
};
