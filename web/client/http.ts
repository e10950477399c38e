/** The HTTP API as typed calls. Each rejects with a {@link ProblemError}, or as `fetch` does without a network. */

import type { Decision } from '../../shared/contract/ag-ui.ts';
import type { ForkBody } from '../../shared/contract/branches.ts';
import type { BudgetInfo, TenantLimits } from '../../shared/contract/budgets.ts';
import type { Frame, SnapshotMessage, ToolsOmitted } from '../../shared/contract/events.ts';
import type { ExportedPage, HistoryFormat, Imported, ImportSession } from '../../shared/contract/history.ts';
import type {
  CreateSession,
  EndingInfo,
  GrantInfo,
  Problem,
  WaitDetails,
  WaitInfo,
} from '../../shared/contract/http.ts';
import type { KeyScope } from '../../shared/contract/identity.ts';
import type { ForkOf, SessionRow } from '../../shared/contract/listing.ts';
import type {
  AttachmentLink,
  MessageContent,
  UploadBody,
  UploadInfo,
} from '../../shared/contract/message.ts';
import type { Reason, State, Totals } from '../../shared/contract/session.ts';
import type { StepDetails, StepRequest, StepsAnswer } from '../../shared/contract/steps.ts';

/** `GET /sessions/{sessionId}` */
export interface SessionInfo {
  readonly sessionId: string;
  readonly agent: string;
  /** What lists call it; absent where nobody has named it. */
  readonly title?: string;
  readonly state: State;
  readonly reason?: Reason;
  readonly run?: {
    readonly id: string;
    readonly steps: number;
    readonly toolCalls: number;
    readonly ended: boolean;
  };
  /** How the last run that ended did, with the message of its end. */
  readonly lastEnding?: EndingInfo;
  /** Tools of its sources that it goes without, and why; absent when there are none. */
  readonly omittedTools?: readonly ToolsOmitted[];
  /** Of a fork: the session that it comes from, and the first turn that it does not share with it. */
  readonly forkOf?: ForkOf;
  readonly totals: Totals;
  /** What its run waits for: people, or calls in the tool queue. */
  readonly waits: readonly WaitInfo[];
  /** What people have allowed for calls to come, as far as it holds. */
  readonly grants: readonly GrantInfo[];
  /** Seq of the last committed event: subscribe after it to see only what comes from now on. */
  readonly cursor: number;
}

/** Which sessions are asked for; all that the caller may see when nothing is said. */
export interface SessionsAsked {
  readonly state?: readonly State[];
  /** Why the last run ended, or waits. */
  readonly reason?: Reason;
  readonly agent?: string;
  /** `http`, `ag-ui`, `slack`, or `webhook:` and the webhook's name. */
  readonly source?: string;
  /** Subject of who has begun them. */
  readonly user?: string;
  /** Words of the title. */
  readonly q?: string;
  /** ISO 8601: those that moved then or later, and before. */
  readonly since?: string;
  readonly until?: string;
  /** `next` of the page before. */
  readonly cursor?: string;
  /** 50 when absent, at most 100. */
  readonly limit?: number;
}

/** `GET /sessions`: a page may be short, or empty, before the end. */
export interface SessionsPage {
  readonly sessions: readonly SessionRow[];
  /** There may be more: pass it as `cursor`. */
  readonly next?: string;
}

/** A session that was deleted. */
export interface DeletedSession {
  readonly sessionId: string;
  /** ISO 8601: from then on nobody finds it. */
  readonly deletedAt: string;
  /** ISO 8601: by then, or some minutes later, nothing is left of it, and its id may be used again. */
  readonly goneBy: string;
}

/** What a message was accepted as. */
export interface Accepted {
  readonly sessionId: string;
  readonly eventId: string;
  /** The same request came before, and this one changed nothing. */
  readonly duplicate: boolean;
}

/** A session that was forked from another one. */
export interface ForkedSession {
  readonly sessionId: string;
  readonly forkOf: ForkOf;
}

/** For requests that may be sent again. */
export interface Repeatable {
  /** Makes repeating the request safe: equal keys are one request. */
  readonly idempotencyKey?: string;
}

/** Which steps of a session. */
export interface StepsPage {
  /** `next` of the page before. */
  readonly from?: string;
  /** 100 when absent, at most 500. */
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

/** A delivery of a webhook that could not be carried out. */
export interface DeadDeliveryInfo {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  /** Its sender's id of it. */
  readonly deliveryId: string;
  /** One of those of docs/operating.md, hooks-die. */
  readonly reason: string;
  readonly detail: string;
  readonly bytes: number;
  /** ISO 8601: when it came. */
  readonly at: string;
}

/** The HTTP API as typed calls: docs/reference has each with its errors. */
export interface HttpClient {
  createSession(session: CreateSession, options?: Repeatable): Promise<Accepted>;
  addMessage(sessionId: string, message: MessageContent, options?: Repeatable): Promise<Accepted>;
  /**
   * Sends bytes for a message, and answers their id: `{ type: 'image', upload: id }`. A `File` brings its name and type. Rejects with
   * an Error when the bytes could not be sent.
   */
  upload(file: Blob, as?: { readonly name?: string; readonly mediaType?: string }): Promise<string>;
  /** A link to what was sent in a session, for five minutes: `hash` is that of an attachment in its messages. */
  attachment(sessionId: string, hash: string): Promise<AttachmentLink>;
  /**
   * Makes a session of a conversation that was had elsewhere (docs/history.md). It rests until its next message, unless one comes
   * with it.
   */
  importSession(session: ImportSession, options?: Repeatable): Promise<Imported>;
  /** The whole conversation, as far as it is committed, as messages of another API. */
  exportSession(sessionId: string, format: HistoryFormat): Promise<object[]>;
  /** Sessions, those first that moved last: a page of them. */
  sessions(query?: SessionsAsked): Promise<SessionsPage>;
  /** Gives a session another title, or other metadata in place of those it has. */
  rename(
    sessionId: string,
    to: Pick<SessionRow, 'metadata'> & { readonly title?: string },
  ): Promise<SessionRow>;
  /**
   * Deletes a session at rest, and all that is stored of it: nobody finds it from then on, and by `goneBy` nothing is left. Rejects with 409 while
   * its run goes on or waits, or while sessions are there that were forked from it.
   */
  deleteSession(sessionId: string): Promise<DeletedSession>;
  session(sessionId: string): Promise<SessionInfo>;
  /** The whole conversation, as far as it is committed. */
  messages(sessionId: string): Promise<SnapshotMessage[]>;
  /** Frames after a cursor, oldest first, at most a page of them. */
  events(sessionId: string, after: number): Promise<{ frames: Frame[]; next: number }>;
  /** What the session did, a page of steps at most: `next` is the `from` of the page after it. Oldest first where nothing else is said. */
  steps(sessionId: string, page?: StepsPage): Promise<StepsAnswer>;
  /** One step in full, by a slot of it. */
  step(sessionId: string, slot: number): Promise<StepDetails>;
  /** All that the model of a step was asked with, by its first slot. For who sees all sessions of the tenant. */
  stepRequest(sessionId: string, slot: number): Promise<StepRequest>;
  cancel(sessionId: string): Promise<void>;
  /** Asks the run for a summary, and ends it. */
  wrapUp(sessionId: string): Promise<void>;
  /** Begins a run that goes on where the last one ended before it was done. Rejects with 409 when there is none such. */
  retry(sessionId: string, options?: Repeatable): Promise<Accepted>;
  /** Says a message of a person again, in a session of its own that shares all before it: that session. */
  edit(
    sessionId: string,
    messageId: string,
    message: MessageContent,
    options?: Repeatable,
  ): Promise<ForkedSession>;
  /** Makes a session of its own that shares all up to a step, by a slot of it; up to the last whole step when none is named. */
  fork(sessionId: string, of?: ForkBody, options?: Repeatable): Promise<ForkedSession>;
  /** Sessions that share what was said in this one, the oldest first. */
  forks(sessionId: string): Promise<SessionRow[]>;
  /** One thing that a run waits for, with all of what its call would be run with: `message` cuts long values. */
  wait(sessionId: string, waitId: string): Promise<WaitDetails>;
  /** Decides what a run waits for: the `id` is an interrupt's. Counts once. */
  decide(sessionId: string, decision: Decision): Promise<void>;
  /** Takes back what somebody has granted: calls that have not begun are asked about again. */
  revoke(sessionId: string, grantId: string): Promise<void>;
  /** What the tenant may use in a day, and has used today: for those who see all of its sessions. */
  budget(): Promise<BudgetInfo>;
  /** Gives the tenant other limits of its own, in the place of all it has; for those who administer it. */
  setBudget(limits: TenantLimits): Promise<BudgetInfo>;
  /** The tenant's API keys, the revoked ones too. This and what follows is for those who administer the tenant. */
  keys(): Promise<KeyInfo[]>;
  /** Mints an API key. Its secret, `key`, is told here and nowhere else. */
  mintKey(of: {
    readonly name: string;
    readonly scopes?: readonly KeyScope[];
  }): Promise<KeyInfo & { key: string }>;
  /** From its answer on, nothing takes the key. */
  revokeKey(keyId: string): Promise<KeyInfo>;
  /** Deliveries of webhooks that could not be carried out, oldest first: at most 500. */
  deadDeliveries(): Promise<DeadDeliveryInfo[]>;
  /** Tries one of them again. Its session, where it became a message of one; rejects with 409 when it failed again. */
  redrive(id: string): Promise<{ readonly sessionId?: string }>;
  /** A one-time ticket for one WebSocket connection: a browser cannot send headers with it. */
  ticket(): Promise<{ ticket: string; expiresAt: string | number }>;
}

/** The server refused, and said why. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail ? `${problem.title}: ${problem.detail}` : problem.title);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** Trying again cannot help: the request itself is refused. */
export const isFinal = ({ status }: Problem): boolean => status >= 400 && status < 500 && status !== 429;

/** A token, or where to get one: asked for each request, so it may be one that expires. */
export type Token = string | (() => string | Promise<string>);

/** The HTTP API alone, for whoever follows no events. */
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
    addMessage: async (sessionId, message, { idempotencyKey } = {}) =>
      (await call('POST', `${at(sessionId)}/messages`, { message }, idempotencyKey)) as Accepted,
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
    cancel: async (sessionId) => {
      await call('POST', `${at(sessionId)}/cancel`);
    },
    wrapUp: async (sessionId) => {
      await call('POST', `${at(sessionId)}/wrap-up`);
    },
    retry: async (sessionId, { idempotencyKey } = {}) =>
      (await call('POST', `${at(sessionId)}/retry`, undefined, idempotencyKey)) as Accepted,
    edit: async (sessionId, messageId, message, { idempotencyKey } = {}) =>
      (await call('POST', `${at(sessionId)}/edit`, { messageId, message }, idempotencyKey)) as ForkedSession,
    fork: async (sessionId, of = {}, { idempotencyKey } = {}) =>
      (await call('POST', `${at(sessionId)}/fork`, of, idempotencyKey)) as ForkedSession,
    forks: async (sessionId) =>
      ((await call('GET', `${at(sessionId)}/forks`)) as { sessions: SessionRow[] }).sessions,
    wait: async (sessionId, waitId) =>
      (await call('GET', `${at(sessionId)}/waits/${encodeURIComponent(waitId)}`)) as WaitDetails,
    decide: async (sessionId, decision) => {
      await call('POST', `${at(sessionId)}/decisions`, decision);
    },
    revoke: async (sessionId, grantId) => {
      await call('DELETE', `${at(sessionId)}/grants/${encodeURIComponent(grantId)}`);
    },
    budget: async () => (await call('GET', '/budgets')) as BudgetInfo,
    setBudget: async (limits) => (await call('PUT', '/budgets', limits)) as BudgetInfo,
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
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
}

/** The problem document of an error answer; one made up when the answer has none, as from a gateway. */
function toProblem(response: Response, text: string): Problem {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'title' in body && 'status' in body)
      return body as Problem;
  } catch {
    // Not JSON: told below.
  }
  return {
    type: 'about:blank',
    title: `${response.status} ${response.statusText}`.trim(),
    status: response.status,
    ...(text && { detail: text.slice(0, 200) }),
  };
}
