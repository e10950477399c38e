/** The HTTP API as typed calls. Each rejects with a {@link ProblemError}, or as `fetch` does without a network. */

import type { BudgetInfo } from '../../shared/contract/budgets.ts';
import type { DaysAnswer } from '../../shared/contract/days.ts';
import type { Frame, SnapshotMessage } from '../../shared/contract/events.ts';
import type { FeedbackInfo } from '../../shared/contract/feedback.ts';
import type { ExportedPage, Imported } from '../../shared/contract/history.ts';
import type { WaitDetails } from '../../shared/contract/http.ts';
import type { SessionRow } from '../../shared/contract/listing.ts';
import type { AttachmentLink, UploadBody, UploadInfo } from '../../shared/contract/message.ts';
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
  SessionInfo,
  SessionsPage,
  TicksPage,
} from './answers.ts';
import type { HttpClient } from './http-client.ts';
import { ProblemError, toProblem } from './problem.ts';

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
