import type { InboxEvent } from '../../shared/agent/ports/inbox.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { ClaimResult, CommitRequest, SessionView } from '../../shared/agent/ports/sessions.ts';
import { newSession, type Session } from '../../shared/agent/session/session.ts';
import type { ModelSlot, ToolResult } from '../../shared/agent/session/slots.ts';
import type { Next } from '../../shared/agent/session/wake.ts';
import type { AgUiEvent, Frame } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';

/** The stores of one set of adapters, empty, with what only a test can do to them. */
export interface Stores extends Pick<Ports, 'sessions' | 'inbox' | 'log' | 'blobs'> {
  /** Runs `act` in the middle of the next `accept`, after it stored the event and before it tells the session. */
  duringNextAccept(act: () => Promise<void>): void;
}

/** Makes new stores for each test. */
export type OpenStores = () => Promise<Stores>;

export const key: SessionKey = { tenant: 'acme', sessionId: 's1' };
/** A time in November 2026. */
export const now = Date.UTC(2026, 10, 22, 12, 1, 30);
export const minutes = 60_000;
export const leaseMs = 60_000;
/** Text that JSON, UTF-8 or sorting may trip over. */
export const oddText = 'naïve ☕ 👩‍🚀 \u0000 "\\ \n lone \ud800 surrogate';

export const aSession = (over: Partial<Session> = {}): Session => ({
  ...newSession(key, 'triage', 'hash1'),
  ...over,
});

export const anEvent = (id: string, over: Partial<InboxEvent> = {}): InboxEvent => ({
  id,
  text: `text of ${id}`,
  digest: `digest of ${id}`,
  at: now,
  ...over,
});

export const aSlot = (n: number, text = `slot ${n}`): ModelSlot => ({
  kind: 'model',
  n,
  runId: 'run1',
  step: 1,
  input: [{ text, eventId: 'e1' }],
  verdicts: [],
});

export const aResult = (callId: string, content = `result of ${callId}`): ToolResult => ({
  callId,
  name: 'refund',
  outcome: 'ok',
  content,
  durationMs: 5,
});

export function frames(from: number, to: number): Frame[] {
  return Array.from({ length: to - from + 1 }, (_, i) => aFrame(from + i));
}

export function aFrame(seq: number, delta = `text ${seq}`): Frame {
  const event: AgUiEvent = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta };
  return { seq, prev: seq - 1, event };
}

export const seqs = (frames: readonly Frame[]): number[] => frames.map(({ seq }) => seq);

/** Text of `bytes` UTF-8 bytes. */
export const ofBytes = (bytes: number): string => 'é'.repeat(bytes / 2);

/** As much incompressible text, the same each time. */
export function noise(bytes: number): string {
  const known = noises.get(bytes);
  if (known !== undefined) return known;
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-';
  let state = bytes;
  const text = Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return letters[state >>> 26];
  }).join('');
  noises.set(bytes, text);
  return text;
}

const noises = new Map<number, string>();

/** A session that is due, with event `e1` in its inbox. */
export async function dueSession(stores: Stores, at = now, of = key): Promise<void> {
  await stores.sessions.create(aSession({ key: of }));
  await stores.inbox.accept(of, anEvent('e1'), at);
}

export function claimAs(
  stores: Pick<Stores, 'sessions'>,
  invocationId: string,
  over: { messageId?: string; at?: number; key?: SessionKey; leaseMs?: number } = {},
): Promise<ClaimResult> {
  const { messageId = `message of ${invocationId}`, at = now } = over;
  const request = {
    key: over.key ?? key,
    invocationId,
    messageId,
    now: at,
    leaseMs: over.leaseMs ?? leaseMs,
  };
  return stores.sessions.claim(request);
}

/** The view of a claim that must succeed. */
export async function claimed(...args: Parameters<typeof claimAs>): Promise<SessionView> {
  const result = await claimAs(...args);
  if (result.kind !== 'claimed') throw new Error(`not claimed but ${result.kind}`);
  return result.view;
}

/** A due session, claimed as `a`. */
export async function claimedSession(stores: Stores): Promise<SessionView> {
  await dueSession(stores);
  return claimed(stores, 'a');
}

/** A commit of what `view` shows, which continues at once and incorporates nothing. */
export function commitOf(view: SessionView, over: Partial<CommitRequest> = {}): CommitRequest {
  const { session, fence } = view;
  return {
    epoch: fence.epoch,
    seen: fence,
    session: { ...session, version: session.version + 1, eventSeq: session.eventSeq + 10 },
    incorporated: [],
    unmarked: [],
    next: { kind: 'run', dueAt: now },
    waits: [],
    tail: [],
    now,
    ...over,
  };
}

/** A commit that ends the run and has incorporated the whole inbox. */
export const restOf = (view: SessionView, over: Partial<CommitRequest> = {}): CommitRequest =>
  commitOf(view, { next: { kind: 'rest' }, incorporated: view.fence.inbox, ...over });

/** A session at rest after one run with event `e1`. */
export async function restingSession(stores: Stores): Promise<SessionView> {
  const view = await claimedSession(stores);
  await stores.sessions.commit(restOf(view));
  return viewOf(stores);
}

/** A session that waits for `waits` until `next` says, after a step with event `e1`. */
export async function waitingSession(
  stores: Stores,
  next: Next,
  waits: readonly string[] = ['w1', 'w2'],
): Promise<SessionView> {
  const view = await claimedSession(stores);
  await stores.sessions.commit(commitOf(view, { next, waits, incorporated: view.fence.inbox }));
  return viewOf(stores);
}

/** The current session. It must exist. */
export async function viewOf(stores: Pick<Stores, 'sessions'>, of = key): Promise<SessionView> {
  const view = await stores.sessions.read(of);
  if (!view) throw new Error(`no session ${of.sessionId}`);
  return view;
}
