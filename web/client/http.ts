/** The HTTP API as typed calls. Each rejects with a {@link ProblemError}, or as `fetch` does without a network. */

import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { ForkBody, Instead } from '../../shared/contract/branches.ts';
import type { BudgetInfo, TenantLimits } from '../../shared/contract/budgets.ts';
import type { DaysAnswer } from '../../shared/contract/days.ts';
import type { Frame, SnapshotMessage, ToolsOmitted } from '../../shared/contract/events.ts';
import type { FeedbackInfo } from '../../shared/contract/feedback.ts';
import type { ExportedPage, HistoryFormat, Imported, ImportSession } from '../../shared/contract/history.ts';
import type { EndingInfo, GrantInfo, Problem, WaitDetails, WaitInfo } from '../../shared/contract/http.ts';
import type { KeyScope } from '../../shared/contract/identity.ts';
import type { ForkOf, SessionRow } from '../../shared/contract/listing.ts';
import type {
  AttachmentLink,
  MessageContent,
  UploadBody,
  UploadInfo,
} from '../../shared/contract/message.ts';
import type { CreateSessionBody, PageAnswerBody, PageBody } from '../../shared/contract/page-input.ts';
import type { PageState } from '../../shared/contract/page-state.ts';
import type { PersonErasure } from '../../shared/contract/people.ts';
import type { ReplayAnswer } from '../../shared/contract/replays.ts';
import type { CreateSchedule, ScheduleInfo, TickInfo } from '../../shared/contract/schedules.ts';
import type { Reason, State, Totals } from '../../shared/contract/session.ts';
import type { StepDetails, StepRequest, StepsAnswer } from '../../shared/contract/steps.ts';
import type { TenantKeyInfo } from '../../shared/contract/tenant-keys.ts';

/** `GET /sessions/{sessionId}` */
export interface SessionInfo {
  readonly sessionId: string;
  readonly agent: string;
  /** Its title in lists; absent if it has none. */
  readonly title?: string;
  readonly state: State;
  readonly reason?: Reason;
  readonly run?: {
    readonly id: string;
    readonly steps: number;
    readonly toolCalls: number;
    readonly ended: boolean;
  };
  /** How the last finished run ended, with the message of its end. */
  readonly lastEnding?: EndingInfo;
  /** Tools of its sources that it lacks, and why; absent if there are none. */
  readonly omittedTools?: readonly ToolsOmitted[];
  /** For a fork: the session that it comes from, and the first turn that the two do not share. */
  readonly forkOf?: ForkOf;
  readonly totals: Totals;
  /** The waits of its run: for people, or for calls in the tool queue. */
  readonly waits: readonly WaitInfo[];
  /** Calls that people have allowed in advance, as far as the permission still holds. */
  readonly grants: readonly GrantInfo[];
  /** Its callback, if it was created with one. */
  readonly callback?: CallbackInfo;
  /** Seq of the last committed event: subscribe after it to see only new events. */
  readonly cursor: number;
}

/** The callback of a session: where its runs' ends and waits are posted, and how far that has got (docs/webhooks.md). */
export interface CallbackInfo {
  readonly url: string;
  /** `given_up`: the last event was dropped after many tries. `disabled`: the receiver answered 410. */
  readonly state: 'active' | 'given_up' | 'disabled';
  /** Failed tries of the next event. */
  readonly attempts: number;
  /** Status of the last try, or why there was none. */
  readonly lastStatus?: number | string;
  /** ISO 8601: the next try. */
  readonly nextAt?: string;
}

/** Filters of a list of sessions; without one, all that the caller may see. */
export interface SessionsAsked {
  readonly state?: readonly State[];
  /** Why the last run ended, or waits. */
  readonly reason?: Reason;
  readonly agent?: string;
  /** `http`, `ag-ui`, `slack`, or `webhook:` and the webhook's name. */
  readonly source?: string;
  /** Subject of the user who has started them. */
  readonly user?: string;
  /** Words of the title. */
  readonly q?: string;
  /** ISO 8601: sessions whose last activity is at or after `since`, and before `until`. */
  readonly since?: string;
  readonly until?: string;
  /** `next` of the previous page. */
  readonly cursor?: string;
  /** 50 if absent, at most 100. */
  readonly limit?: number;
}

/** `GET /sessions`: a page may be short, or empty, before the end. */
export interface SessionsPage {
  readonly sessions: readonly SessionRow[];
  /** Set if there may be more: pass it as `cursor`. */
  readonly next?: string;
}

/** A deleted session. */
export interface DeletedSession {
  readonly sessionId: string;
  /** ISO 8601: from then on the session cannot be found. */
  readonly deletedAt: string;
  /** ISO 8601: by then, or some minutes later, all of its data is gone, and its id may be used again. */
  readonly goneBy: string;
}

/** The result of sending a message. */
export interface Accepted {
  readonly sessionId: string;
  readonly eventId: string;
  /** Whether the same request came before, so that this one changed nothing. */
  readonly duplicate: boolean;
}

/** A session that was forked from another one. */
export interface ForkedSession {
  readonly sessionId: string;
  readonly forkOf: ForkOf;
}

/** Options of requests that may be retried. */
export interface Repeatable {
  /** Makes a retry safe: requests with equal keys count as one. */
  readonly idempotencyKey?: string;
}

/** Options of a message. */
export interface MessageOptions extends Repeatable {
  /** The tools of the page that sends it, and what it shows (docs/page-tools.md). */
  readonly page?: PageBody;
}

/** A page of a session's steps. */
export interface StepsPage {
  /** `next` of the previous page. */
  readonly from?: string;
  /** 100 if absent, at most 500. */
  readonly limit?: number;
  readonly order?: 'oldest' | 'newest';
}

/** An API key of the tenant, without its secret. */
export interface KeyInfo {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The last UTC day on which it was used: `YYYY-MM-DD`. */
  readonly lastUsedOn?: string;
  /** ISO 8601. */
  readonly revokedAt?: string;
}

/** A webhook delivery that could not be processed. */
export interface DeadDeliveryInfo {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  /** The sender's id of the delivery. */
  readonly deliveryId: string;
  /** A reason listed in docs/operating.md, hooks-die. */
  readonly reason: string;
  readonly detail: string;
  readonly bytes: number;
  /** ISO 8601: when the delivery arrived. */
  readonly at: string;
}

/** The body of `POST /schedules`. */
export type NewSchedule = CreateSchedule;

/** A page of outcomes of a schedule's ticks. */
export interface TicksPage {
  readonly ticks: readonly TickInfo[];
  readonly next?: string;
}

/** The HTTP API as typed calls: docs/reference lists each with its errors. */
export interface HttpClient {
  createSession(session: CreateSessionBody, options?: Repeatable): Promise<Accepted>;
  addMessage(sessionId: string, message: MessageContent, options?: MessageOptions): Promise<Accepted>;
  /**
   * Uploads bytes for a message, and returns their id: `{ type: 'image', upload: id }`. A `File` has its own name and
   * type. Rejects with an Error if the bytes could not be sent.
   */
  upload(file: Blob, as?: { readonly name?: string; readonly mediaType?: string }): Promise<string>;
  /** A link to an attachment of a session, valid for five minutes: `hash` is that of an attachment in its messages. */
  attachment(sessionId: string, hash: string): Promise<AttachmentLink>;
  /**
   * Creates a session from a conversation of another system (docs/history.md). It rests until its next message, unless
   * one comes with it.
   */
  importSession(session: ImportSession, options?: Repeatable): Promise<Imported>;
  /** The whole committed conversation, as messages of another API. */
  exportSession(sessionId: string, format: HistoryFormat): Promise<object[]>;
  /** A page of sessions, most recently active first. */
  sessions(query?: SessionsAsked): Promise<SessionsPage>;
  /** Changes a session's title, or replaces its metadata. */
  rename(
    sessionId: string,
    to: Pick<SessionRow, 'metadata'> & { readonly title?: string },
  ): Promise<SessionRow>;
  /**
   * Deletes a session at rest, and all of its data: it cannot be found from then on, and by `goneBy` nothing is left.
   * Rejects with 409 while its run is in progress or waits, or while sessions exist that were forked from it.
   */
  deleteSession(sessionId: string): Promise<DeletedSession>;
  session(sessionId: string): Promise<SessionInfo>;
  /**
   * Deletes everything that is stored of a person, by their subject (`user:ada`): sessions that they began, memories, uploads.
   * It goes on after this resolves: {@link erasure} tells how far it is. For administrators of the tenant, as is that.
   */
  erasePerson(user: string): Promise<PersonErasure>;
  /** How far the deletion of a person's data is. Rejects with 404 if there is none, and 30 days after its end. */
  erasure(user: string): Promise<PersonErasure>;
  /** The data key of the caller's tenant. For administrators of the tenant, as is {@link deleteTenantKey}. */
  tenantKey(tenant: string): Promise<TenantKeyInfo>;
  /**
   * Deletes the tenant's data key for good: all that is stored of the tenant becomes unreadable, and nothing more is accepted for it.
   *
   * @param confirm the tenant's name again
   */
  deleteTenantKey(tenant: string, confirm: string): Promise<TenantKeyInfo>;
  /** Creates a schedule, which begins runs in the caller's name (docs/schedules.md). */
  createSchedule(schedule: NewSchedule, options?: Repeatable): Promise<ScheduleInfo>;
  /** Schedules that the caller may see, by id: all pages. */
  schedules(): Promise<ScheduleInfo[]>;
  schedule(scheduleId: string): Promise<ScheduleInfo>;
  /** Outcomes of its last ticks, newest first: `next` is the `before` of the next page. */
  ticks(scheduleId: string, page?: { readonly before?: string; readonly limit?: number }): Promise<TicksPage>;
  /** Stops it from beginning runs. */
  pauseSchedule(scheduleId: string): Promise<ScheduleInfo>;
  /** Lets it go on with its first tick after now. */
  resumeSchedule(scheduleId: string): Promise<ScheduleInfo>;
  /** Begins one more tick now, even if it is paused. */
  runSchedule(scheduleId: string): Promise<{ readonly tickId: string }>;
  /** Rejects with 409 for a schedule of the definition. */
  deleteSchedule(scheduleId: string): Promise<void>;
  /** The whole committed conversation. */
  messages(sessionId: string): Promise<SnapshotMessage[]>;
  /** A page of frames after a cursor, oldest first. */
  events(sessionId: string, after: number): Promise<{ frames: Frame[]; next: number }>;
  /** A page of the session's steps: `next` is the `from` of the next page. Oldest first by default. */
  steps(sessionId: string, page?: StepsPage): Promise<StepsAnswer>;
  /** One step in full, by one of its slots. */
  step(sessionId: string, slot: number): Promise<StepDetails>;
  /** The full request to the model of a step, by the step's first slot. For callers who see all sessions of the tenant. */
  stepRequest(sessionId: string, slot: number): Promise<StepRequest>;
  /** Verdicts of presets of guards on the session's stored runs: of all presets, or of those that are named. */
  replayGuards(sessionId: string, presets?: readonly string[]): Promise<ReplayAnswer>;
  cancel(sessionId: string): Promise<void>;
  /** Asks the run for a summary, and ends it. */
  wrapUp(sessionId: string): Promise<void>;
  /** Tries the session's callback at once, also one that was disabled. Rejects with 404 if it has none. */
  tryCallback(sessionId: string): Promise<CallbackInfo>;
  /** Starts a run that continues where the last one ended before it was done. Rejects with 409 if there is no such run. */
  retry(sessionId: string, options?: Repeatable): Promise<Accepted>;
  /**
   * Sends a user's message again, changed, in a new session that shares everything before it, and returns that session. With
   * `instead` it has another prompt or model.
   */
  edit(
    sessionId: string,
    messageId: string,
    message: MessageContent,
    options?: Repeatable & { readonly instead?: Instead },
  ): Promise<ForkedSession>;
  /** Creates a session that shares everything up to a step, given by one of its slots; by default, up to the last whole step. */
  fork(sessionId: string, of?: ForkBody, options?: Repeatable): Promise<ForkedSession>;
  /** Sessions that share messages of this one, oldest first. */
  forks(sessionId: string): Promise<SessionRow[]>;
  /** People's ratings of the session's answers. */
  feedback(sessionId: string): Promise<FeedbackInfo[]>;
  /** One wait of a run, with the full input of its call: `message` cuts long values. */
  wait(sessionId: string, waitId: string): Promise<WaitDetails>;
  /** Decides a wait of a run: the `id` is an interrupt's. Counts once. */
  decide(sessionId: string, decision: Decision): Promise<void>;
  /**
   * Answers a call of a tool that this page offers. Counts once: rejects with 409 if the call does not wait for this answer.
   */
  answerCall(sessionId: string, answer: PageAnswerBody): Promise<void>;
  /** The state that the session's pages and its model share (docs/page-tools.md); `null` if there is none. */
  pageState(sessionId: string): Promise<PageState | null>;
  /** Revokes a permission that a person granted: calls that have not begun need approval again. */
  revoke(sessionId: string, grantId: string): Promise<void>;
  /** The tenant's daily limits, and its use today: for callers who see all of its sessions. */
  budget(): Promise<BudgetInfo>;
  /** Replaces all of the tenant's own limits; for administrators of the tenant. */
  setBudget(limits: TenantLimits): Promise<BudgetInfo>;
  /**
   * The last days of the tenant (30 if absent, at most 90), today included: for callers who see all of its sessions.
   */
  history(days?: number): Promise<DaysAnswer>;
  /** The tenant's API keys, including revoked ones. This and the following calls are for administrators of the tenant. */
  keys(): Promise<KeyInfo[]>;
  /** Creates an API key. Its secret, `key`, is returned only here. */
  mintKey(of: {
    readonly name: string;
    readonly scopes?: readonly KeyScope[];
  }): Promise<KeyInfo & { key: string }>;
  /** Once it resolves, the key is refused everywhere. */
  revokeKey(keyId: string): Promise<KeyInfo>;
  /** Webhook deliveries that could not be processed, oldest first: at most 500. */
  deadDeliveries(): Promise<DeadDeliveryInfo[]>;
  /** Retries a delivery. Returns its session if it became a message; rejects with 409 if it failed again. */
  redrive(id: string): Promise<{ readonly sessionId?: string }>;
  /** A one-time ticket for one WebSocket connection: a browser cannot send headers with it. */
  ticket(): Promise<{ ticket: string; expiresAt: string | number }>;
}

/** The server's refusal, with its reason. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(
      [problem.detail ? `${problem.title}: ${problem.detail}` : problem.title, ...wrongFields(problem)].join(
        ' ',
      ),
    );
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The fields that the detail of a problem speaks of: "when.cron: it is never due". */
function wrongFields({ errors }: Problem): string[] {
  if (!Array.isArray(errors) || errors.length === 0) return [];
  return [errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')];
}

/** Whether a retry cannot help, because the request itself is refused. */
export const isFinal = ({ status }: Problem): boolean => status >= 400 && status < 500 && status !== 429;

/** A token, or a function that gets one. The function is called for each request, so the token may expire. */
export type Token = string | (() => string | Promise<string>);

/** The HTTP API alone, for callers that follow no events. */
export function httpClient({ httpUrl, token }: { httpUrl: string; token: Token }): HttpClient {
  const base = httpUrl.replace(/\/+$/, '');

  async function call(method: string, path: string, body?: unknown, key?: string): Promise<unknown> {
    const response = await fetch(base + path, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${typeof token === 'string' ? token : await token()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new ProblemError(toProblem(response, text));
    return text === '' ? undefined : JSON.parse(text);
  }

  const at = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}`;
  const ofSchedule = (id: string) => `/schedules/${encodeURIComponent(id)}`;
  const ofTenantKey = (tenant: string) => `/tenants/${encodeURIComponent(tenant)}/key`;
  const ofPerson = (user: string) => `/people/${encodeURIComponent(user)}`;
  return {
    createSession: async (session, { idempotencyKey } = {}) =>
      (await call('POST', '/sessions', session, idempotencyKey)) as Accepted,
    importSession: async (session, { idempotencyKey } = {}) =>
      (await call('POST', '/sessions/import', session, idempotencyKey)) as Imported,
    exportSession: async (sessionId, format) => {
      const whole: object[] = [];
      for (let from: string | undefined = '0'; from !== undefined; ) {
        const query = new URLSearchParams({ format, from });
        const page = (await call('GET', `${at(sessionId)}/export?${query}`)) as ExportedPage;
        whole.push(...page.messages);
        from = page.next;
      }
      return whole;
    },
    createSchedule: async (schedule, { idempotencyKey } = {}) =>
      (await call('POST', '/schedules', schedule, idempotencyKey)) as ScheduleInfo,
    schedules: async () => {
      const all: ScheduleInfo[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const query: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
        const page = (await call('GET', `/schedules?limit=100${query}`)) as {
          schedules: ScheduleInfo[];
          next?: string;
        };
        all.push(...page.schedules);
        after = page.next;
      }
      return all;
    },
    schedule: async (id) => (await call('GET', ofSchedule(id))) as ScheduleInfo,
    ticks: async (id, { before, limit = 50 } = {}) => {
      const query = new URLSearchParams({ limit: String(limit), ...(before !== undefined && { before }) });
      return (await call('GET', `${ofSchedule(id)}/history?${query}`)) as TicksPage;
    },
    pauseSchedule: async (id) => (await call('POST', `${ofSchedule(id)}/pause`)) as ScheduleInfo,
    resumeSchedule: async (id) => (await call('POST', `${ofSchedule(id)}/resume`)) as ScheduleInfo,
    runSchedule: async (id) => (await call('POST', `${ofSchedule(id)}/run`)) as { tickId: string },
    deleteSchedule: async (id) => void (await call('DELETE', ofSchedule(id))),
    addMessage: async (sessionId, message, { idempotencyKey, page } = {}) =>
      (await call(
        'POST',
        `${at(sessionId)}/messages`,
        { message, ...(page && { page }) },
        idempotencyKey,
      )) as Accepted,
    upload: async (file, { name, mediaType } = {}) => {
      const type = mediaType || file.type || 'application/octet-stream';
      const called = name || ('name' in file && typeof file.name === 'string' && file.name) || 'file';
      const body: UploadBody = { name: called, mediaType: type, bytes: file.size };
      const { id, url, headers } = (await call('POST', '/uploads', body)) as UploadInfo;
      const sent = await fetch(url, { method: 'PUT', headers, body: file });
      if (!sent.ok) throw new Error(`the bytes of ${called} could not be sent: HTTP ${sent.status}`);
      return id;
    },
    attachment: async (sessionId, hash) =>
      (await call('GET', `${at(sessionId)}/attachments/${encodeURIComponent(hash)}`)) as AttachmentLink,
    sessions: async ({ state, limit, ...asked } = {}) => {
      const said = { ...asked, state: state?.join(','), limit: limit?.toString() };
      const present = Object.entries(said).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      return (await call('GET', `/sessions?${new URLSearchParams(present)}`)) as SessionsPage;
    },
    rename: async (sessionId, to) => (await call('PATCH', at(sessionId), to)) as SessionRow,
    deleteSession: async (sessionId) => (await call('DELETE', at(sessionId))) as DeletedSession,
    erasePerson: async (user) => (await call('DELETE', ofPerson(user))) as PersonErasure,
    erasure: async (user) => (await call('GET', ofPerson(user))) as PersonErasure,
    tenantKey: async (tenant) => (await call('GET', ofTenantKey(tenant))) as TenantKeyInfo,
    deleteTenantKey: async (tenant, confirm) =>
      (await call(
        'DELETE',
        `${ofTenantKey(tenant)}?confirm=${encodeURIComponent(confirm)}`,
      )) as TenantKeyInfo,
    session: async (sessionId) => (await call('GET', at(sessionId))) as SessionInfo,
    messages: async (sessionId) => {
      const whole: SnapshotMessage[] = [];
      for (let from: string | undefined = '0'; from !== undefined; ) {
        const page = (await call('GET', `${at(sessionId)}/messages?from=${from}`)) as MessagesPage;
        whole.push(...page.messages);
        from = page.next;
      }
      return whole;
    },
    events: async (sessionId, after) =>
      (await call('GET', `${at(sessionId)}/events?after=${after}`)) as { frames: Frame[]; next: number },
    steps: async (sessionId, { from, limit, order } = {}) => {
      const query = new URLSearchParams({
        ...(from !== undefined && { from }),
        ...(limit !== undefined && { limit: String(limit) }),
        ...(order && { order }),
      });
      return (await call('GET', `${at(sessionId)}/steps?${query}`)) as StepsAnswer;
    },
    step: async (sessionId, slot) => (await call('GET', `${at(sessionId)}/steps/${slot}`)) as StepDetails,
    stepRequest: async (sessionId, slot) =>
      (await call('GET', `${at(sessionId)}/steps/${slot}/request`)) as StepRequest,
    replayGuards: async (sessionId, presets = []) => {
      const query = presets.length > 0 ? `?${new URLSearchParams({ preset: presets.join(',') })}` : '';
      return (await call('GET', `${at(sessionId)}/guards${query}`)) as ReplayAnswer;
    },
    cancel: async (sessionId) => {
      await call('POST', `${at(sessionId)}/cancel`);
    },
    wrapUp: async (sessionId) => {
      await call('POST', `${at(sessionId)}/wrap-up`);
    },
    tryCallback: async (sessionId) => (await call('POST', `${at(sessionId)}/callback/try`)) as CallbackInfo,
    retry: async (sessionId, { idempotencyKey } = {}) =>
      (await call('POST', `${at(sessionId)}/retry`, undefined, idempotencyKey)) as Accepted,
    edit: async (sessionId, messageId, message, { idempotencyKey, instead } = {}) => {
      const body = { messageId, message, ...(instead && { instead }) };
      return (await call('POST', `${at(sessionId)}/edit`, body, idempotencyKey)) as ForkedSession;
    },
    fork: async (sessionId, of = {}, { idempotencyKey } = {}) =>
      (await call('POST', `${at(sessionId)}/fork`, of, idempotencyKey)) as ForkedSession,
    forks: async (sessionId) =>
      ((await call('GET', `${at(sessionId)}/forks`)) as { sessions: SessionRow[] }).sessions,
    feedback: async (sessionId) =>
      ((await call('GET', `${at(sessionId)}/feedback`)) as { feedback: FeedbackInfo[] }).feedback,
    wait: async (sessionId, waitId) =>
      (await call('GET', `${at(sessionId)}/waits/${encodeURIComponent(waitId)}`)) as WaitDetails,
    decide: async (sessionId, decision) => {
      await call('POST', `${at(sessionId)}/decisions`, decision);
    },
    pageState: async (sessionId) =>
      ((await call('GET', `${at(sessionId)}/state`)) as { state: PageState | null }).state,
    answerCall: async (sessionId, answer) => void (await call('POST', `${at(sessionId)}/answers`, answer)),
    revoke: async (sessionId, grantId) => {
      await call('DELETE', `${at(sessionId)}/grants/${encodeURIComponent(grantId)}`);
    },
    budget: async () => (await call('GET', '/budgets')) as BudgetInfo,
    setBudget: async (limits) => (await call('PUT', '/budgets', limits)) as BudgetInfo,
    history: async (days) =>
      (await call('GET', days === undefined ? '/history' : `/history?days=${days}`)) as DaysAnswer,
    keys: async () => ((await call('GET', '/keys')) as { keys: KeyInfo[] }).keys,
    mintKey: async (of) => (await call('POST', '/keys', of)) as KeyInfo & { key: string },
    revokeKey: async (keyId) => (await call('POST', `/keys/${encodeURIComponent(keyId)}/revoke`)) as KeyInfo,
    deadDeliveries: async () =>
      ((await call('GET', '/hooks/dead?limit=500')) as { deliveries: DeadDeliveryInfo[] }).deliveries,
    redrive: async (id) =>
      (await call('POST', `/hooks/dead/${encodeURIComponent(id)}/redrive`)) as { sessionId?: string },
    ticket: async () => (await call('POST', '/tickets')) as { ticket: string; expiresAt: string | number },
  };
}

interface MessagesPage {
  readonly messages: SnapshotMessage[];
  /** Start of the next page; absent on the last one. */
  readonly next?: string;
}

/** The problem document of an error response; a made-up one if the response has none, as from a gateway. */
function toProblem(response: Response, text: string): Problem {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'title' in body && 'status' in body)
      return body as Problem;
  } catch {
    // Not JSON: handled below.
  }
  return {
    type: 'about:blank',
    title: `${response.status} ${response.statusText}`.trim(),
    status: response.status,
    ...(text && { detail: text.slice(0, 200) }),
  };
}
