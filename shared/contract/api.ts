/** Every route that callers use: what goes in, what comes back, and how it may be refused. `openapi.json` is written from it. */
import * as z from 'zod';
import { RunAgentInput } from './ag-ui-input.ts';
import * as answers from './answers.ts';
import { EditBody, ForkBody } from './branches.ts';
import { TenantLimits } from './budgets.ts';
import { ChatInput } from './chat/input.ts';
import { ChatResume } from './chat/state.ts';
import { DeadDeliveryId, DeadQuery, RedriveBody } from './dead-deliveries.ts';
import { ExportQuery, ImportSession } from './history.ts';
import {
  AddMessage,
  AnswerBody,
  CreateSession,
  DecisionBody,
  EventsQuery,
  FilesQuery,
  IdempotencyKey,
  MessagesQuery,
  ProgressBody,
  RestoreBody,
  type SocketRequest,
} from './http.ts';
import { CreateKey, KeyId } from './identity.ts';
import { RenameBody, SessionsQuery } from './listing-queries.ts';
import { ForgetQuery, MemoriesQuery, MemoryId } from './memories.ts';
import { UploadBody } from './message.ts';
import type { aguiRoutes, chatRoutes, HttpRoute, hookRoutes } from './routes.ts';
import { SessionId } from './session.ts';
import { StepsQuery } from './steps.ts';

/** Titles of problems by their status. */
export type Problems = Readonly<Partial<Record<number, readonly string[]>>>;

export interface Operation {
  readonly summary: string;
  /** Who may: everybody, whoever has a credential, who may administer the tenant, who has signed it, or who holds the token in its path. */
  readonly access: 'open' | 'caller' | 'admin' | 'signed' | 'token';
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body need not be sent. */
  readonly bodyIsOptional?: true;
  /** By status; a text is the content type of what is no JSON. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>;
  /** Beside those of every route, and of every route with a body. */
  readonly problems?: Problems;
}

const session = z.object({ sessionId: SessionId });
const repeatable = z.object({ 'idempotency-key': IdempotencyKey.optional() });
const noSession: Problems = { 404: ['No such session'] };
/** A chat of the AI SDK. Any name leads to a session. */
const chat = z.object({ chatId: z.string().min(1) });
const noRoute: Problems = { 404: ['No such route', 'No such session'], 405: ['Use GET or POST'] };
const arriving: Problems = {
  409: ['Upload used before', 'Upload not finished'],
  422: ['Idempotency-Key reused', 'Unusable upload', 'Session cannot begin'],
  429: ['Too many messages', 'Too many sessions', 'Inbox full'],
};

/** May answer any route. */
export const anyProblems: Problems = { 500: ['Internal error'], 503: ['Service unavailable'] };
/** May answer a route that asks who calls. Its body is measured before that, also where nothing reads it. */
export const callerProblems: Problems = {
  401: ['Not authorized'],
  403: ['No tenant'],
  413: ['Body too large'],
  503: ['Identity provider unreachable'],
};
/** May answer a route that only those who administer the tenant may call. */
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
    summary: 'The agents and routes that there are.',
    access: 'open',
    answers: { 200: answers.IndexBody },
  },
  'GET /openapi.json': {
    summary: 'This document.',
    access: 'open',
    answers: { 200: z.looseObject({ openapi: z.string() }) },
  },
  'POST /sessions': {
    summary: 'Starts a session with its first message. With an Idempotency-Key, once.',
    access: 'caller',
    headers: repeatable,
    body: CreateSession,
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
      'Makes a session of a conversation that was had elsewhere, which rests until its next message. With an Idempotency-Key, once.',
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
    summary: 'Sessions, those first that moved last: all of the tenant, or those that the caller may see.',
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
    summary: 'Gives a session another title, or other metadata in place of those it has.',
    access: 'caller',
    path: session,
    body: RenameBody,
    answers: { 200: answers.RowBody },
    problems: noSession,
  },
  'DELETE /sessions/{sessionId}': {
    summary: 'Deletes a session at rest, and all that is stored of it. What its agent has remembered stays.',
    access: 'caller',
    path: session,
    answers: { 202: answers.DeletedBody },
    problems: { ...noSession, 409: ['Session not at rest', 'Session has forks'] },
  },
  'POST /sessions/{sessionId}/messages': {
    summary: 'Begins a run, or joins the one that is going at its next step.',
    access: 'caller',
    path: session,
    headers: repeatable,
    body: AddMessage,
    answers: { 202: answers.AcceptedBody },
    problems: {
      400: ['Invalid Idempotency-Key header', 'Unknown time zone'],
      404: ['No such session', 'No such upload'],
      ...arriving,
    },
  },
  'GET /sessions/{sessionId}/messages': {
    summary: 'The conversation as people see it, in pages: pass `next` as `from` until there is none.',
    access: 'caller',
    path: session,
    query: MessagesQuery,
    answers: { 200: answers.MessagesBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/export': {
    summary:
      'The conversation as messages of another API, in pages: pass `next` as `from` until there is none.',
    access: 'caller',
    path: session,
    query: ExportQuery,
    answers: { 200: answers.ExportedBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/attachments/{hash}': {
    summary: 'A link to the bytes of what was sent in the session, for five minutes.',
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
      'What each step did, took and cost, and who has decided what, in pages: pass `next` as `from` until there is none.',
    access: 'caller',
    path: session,
    query: StepsQuery,
    answers: { 200: answers.StepsBody },
    problems: noSession,
  },
  'GET /sessions/{sessionId}/steps/{slot}': {
    summary: 'One step in full: what was new in its request, the reply, and what its calls came to.',
    access: 'caller',
    path: session.extend({ slot: z.string() }),
    answers: { 200: answers.StepBody },
    problems: { 404: ['No such session', 'No such step'] },
  },
  'GET /sessions/{sessionId}/steps/{slot}/request': {
    summary:
      'All that the model of a step was asked with: prompt, tools, messages. For who sees all sessions.',
    access: 'caller',
    path: session.extend({ slot: z.string() }),
    answers: { 200: answers.StepRequestBody },
    problems: { 403: ['Not allowed'], 404: ['No such session', 'No such step'] },
  },
  'GET /sessions/{sessionId}/waits/{waitId}': {
    summary: 'One thing that the run waits for, with all that its call would be run with.',
    access: 'caller',
    path: session.extend({ waitId: z.string() }),
    answers: { 200: answers.WaitDetailsBody },
    problems: { 404: ['No such session', 'No such wait'] },
  },
  'GET /sessions/{sessionId}/files': {
    summary:
      'Files of the session, as they are or were after a turn, in pages: pass `next` as `after`. With `path` one of them, with a link.',
    access: 'caller',
    path: session,
    query: FilesQuery,
    answers: { 200: answers.FilesBody },
    problems: { 404: ['No such session', 'No such turn', 'No such file'] },
  },
  'POST /sessions/{sessionId}/restore': {
    summary: 'Sets the files of the session back to how they were after a turn.',
    access: 'caller',
    path: session,
    body: RestoreBody,
    answers: { 200: answers.RestoredBody },
    problems: { 404: ['No such session', 'No such turn'], 409: ['Session busy'] },
  },
  'POST /sessions/{sessionId}/decisions': {
    summary: 'Approves or refuses a call, or answers a question. 202: it counts; 200: it did so before.',
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
  'DELETE /sessions/{sessionId}/grants/{grantId}': {
    summary: 'Takes back what somebody has granted: calls that have not begun are asked about again.',
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
    summary: 'Begins a run that goes on where the last one ended before it was done.',
    access: 'caller',
    path: session,
    headers: repeatable,
    answers: { 202: answers.AcceptedBody },
    problems: {
      400: ['Invalid Idempotency-Key header'],
      ...noSession,
      409: ['Nothing to try again'],
      422: ['Idempotency-Key reused'],
      429: ['Too many messages', 'Too many sessions', 'Inbox full'],
    },
  },
  'POST /sessions/{sessionId}/edit': {
    summary:
      'Says a message again in other words, in a session of its own that shares all before it. This one stays as it is.',
    access: 'caller',
    path: session,
    headers: repeatable,
    body: EditBody,
    answers: { 201: answers.ForkedBody },
    problems: {
      400: ['Invalid Idempotency-Key header'],
      404: ['No such session', 'No such message', 'No such upload'],
      ...arriving,
      409: ['Upload used before', 'Upload not finished', 'Too many forks'],
    },
  },
  'POST /sessions/{sessionId}/fork': {
    summary: 'Makes a session of its own that shares all up to a step. With an Idempotency-Key, once.',
    access: 'caller',
    path: session,
    headers: repeatable,
    body: ForkBody,
    bodyIsOptional: true,
    answers: { 201: answers.ForkedBody },
    problems: {
      400: ['Invalid Idempotency-Key header'],
      404: ['No such session', 'No such step', 'No such upload'],
      ...arriving,
      409: ['Upload used before', 'Upload not finished', 'Too many forks'],
    },
  },
  'GET /sessions/{sessionId}/forks': {
    summary:
      'Sessions that share what was said in this one, the oldest first, as far as the caller may see them.',
    access: 'caller',
    path: session,
    answers: { 200: answers.ForksBody },
    problems: noSession,
  },
  'GET /memories': {
    summary:
      'What agents remember of the caller; with scope `tenant`, what they share, for those who may administer it.',
    access: 'caller',
    query: MemoriesQuery,
    answers: { 200: answers.MemoriesBody },
    problems: adminProblems,
  },
  'DELETE /memories': {
    summary:
      'Forgets all of it. With `user`, that of somebody else, for those who may administer the tenant.',
    access: 'caller',
    query: ForgetQuery,
    answers: { 200: answers.ForgottenBody },
    problems: adminProblems,
  },
  'DELETE /memories/{memoryId}': {
    summary:
      'Forgets one fact for good: an own one, or one that the tenant shares, for those who may administer it.',
    access: 'caller',
    path: z.object({ memoryId: MemoryId }),
    answers: { 200: answers.ForgottenBody },
    problems: { ...adminProblems, 404: ['No such memory'] },
  },
  'GET /callbacks/secrets': {
    summary: 'What the tenant verifies callbacks with: more than one while they are rotated.',
    access: 'admin',
    answers: { 200: answers.CallbackSecretsBody },
  },
  'POST /callbacks/{token}': {
    summary: 'The answer to a call that is answered later. 202: it counts; 200: the same did so before.',
    access: 'token',
    path: z.object({ token: z.string() }),
    body: AnswerBody,
    answers: { 200: answers.AnsweredBody, 202: answers.AnsweredBody },
    problems: { 404: ['No such callback'], 410: ['Too late'], 413: ['Body too large'] },
  },
  'POST /callbacks/{token}/progress': {
    summary: 'How far a call is that is answered later. It answers nothing, and the token stays good.',
    access: 'token',
    path: z.object({ token: z.string() }),
    body: ProgressBody,
    answers: { 202: answers.ToldBody },
    problems: {
      404: ['No such callback'],
      410: ['Too late'],
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
    summary: 'Tries them again, as many as there is time for.',
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
    summary: 'Tries one of them again. 200: its mapping wants nothing of it now.',
    access: 'admin',
    path: z.object({ deliveryId: DeadDeliveryId }),
    answers: { 200: answers.IgnoredBody, 202: answers.RedrivenBody },
    problems: { 404: ['No such delivery'], 409: ['It failed again'] },
  },
  'GET /budgets': {
    summary: 'What the tenant may use in a day, and has used today, for those who see all of its sessions.',
    access: 'caller',
    answers: { 200: answers.BudgetBody },
    problems: adminProblems,
  },
  'PUT /budgets': {
    summary: 'Gives the tenant other limits of its own; for what is left out the deployment’s hold.',
    access: 'admin',
    body: TenantLimits,
    answers: { 200: answers.BudgetBody },
    problems: { 409: ['Budgets are off'] },
  },
  'POST /uploads': {
    summary:
      'Announces what a message will have beside text: PUT its bytes to `url`, and name `id` in the message.',
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
    summary: 'The keys of the tenant, the revoked ones too.',
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
  'POST /hooks/{source}': {
    summary: 'A delivery of a webhook, signed as its source says. 202: taken; 200: nothing more comes of it.',
    access: 'signed',
    path: z.object({ source: z.string() }),
    body: z.unknown(),
    answers: { 200: answers.TakenBeforeBody, 202: answers.TakenBody },
    problems: {
      400: ['Malformed body', 'Malformed JSON', 'Malformed event', 'Missing headers'],
      401: ['Wrong signature'],
      404: ['No such webhook'],
    },
  },
  'POST /agui': {
    summary:
      'At the output `AguiUrl`, with `/{agent}`, `/connect` or both behind it: a session as AG-UI’s `HttpAgent` wants it.',
    access: 'caller',
    body: RunAgentInput,
    answers: { 200: 'text/event-stream' },
    problems: {
      400: ['Unusable message', 'Nothing to grant', 'No such change'],
      403: ['You may not decide this'],
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
      'At the output `ChatUrl`, with `/{agent}` behind it: takes in what `useChat` of the AI SDK says, and tells the answer as its UI message stream.',
    access: 'caller',
    body: ChatInput,
    answers: { 200: 'text/event-stream' },
    problems: {
      400: ['Unusable message', 'Nothing new'],
      403: ['You may not decide this'],
      404: ['No such route', 'No such agent', 'No such session', 'Nothing to decide'],
      405: ['Use GET or POST'],
      409: ['Thread of another agent', 'Already decided', 'What was said stands'],
      422: ['Message id reused', 'Reserved thread id', 'Session cannot begin'],
      429: ['Too many messages', 'Too many sessions', 'Too many streams', 'Inbox full'],
      503: ['Session busy'],
    },
  },
  'GET /chat/{chatId}/stream': {
    summary: 'At `ChatUrl`: the answer that goes on, from its beginning. 204: none does.',
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
};

/** Problems that each action over the WebSocket may be answered with, beside those of all (`socketProblems`). */
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
  413: ['Message too large'],
  500: ['Internal error'],
  503: ['Service unavailable'],
};
