import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { ForkBody, Instead } from '../../shared/contract/branches.ts';
import type { BudgetInfo, TenantLimits } from '../../shared/contract/budgets.ts';
import type { DaysAnswer } from '../../shared/contract/days.ts';
import type { Frame, SnapshotMessage } from '../../shared/contract/events.ts';
import type { FeedbackInfo } from '../../shared/contract/feedback.ts';
import type { HistoryFormat, Imported, ImportSession } from '../../shared/contract/history.ts';
import type { WaitDetails } from '../../shared/contract/http.ts';
import type { KeyScope } from '../../shared/contract/identity.ts';
import type { SessionRow } from '../../shared/contract/listing.ts';
import type { AttachmentLink, MessageContent } from '../../shared/contract/message.ts';
import type { CreateSessionBody, PageAnswerBody } from '../../shared/contract/page-input.ts';
import type { PageState } from '../../shared/contract/page-state.ts';
import type { PersonErasure } from '../../shared/contract/people.ts';
import type { ReplayAnswer } from '../../shared/contract/replays.ts';
import type { ScheduleInfo } from '../../shared/contract/schedules.ts';
import type { StepDetails, StepRequest, StepsAnswer } from '../../shared/contract/steps.ts';
import type { TenantKeyInfo } from '../../shared/contract/tenant-keys.ts';
import type {
  Accepted,
  CallbackInfo,
  DeadDeliveryInfo,
  DeletedSession,
  ForkedSession,
  KeyInfo,
  MessageOptions,
  NewSchedule,
  Repeatable,
  SessionInfo,
  SessionsAsked,
  SessionsPage,
  StepsPage,
  TicksPage,
} from './answers.ts';

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
