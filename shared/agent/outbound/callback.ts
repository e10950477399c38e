import type { SessionKey } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import type { Clock, Ids } from '../ports/ports.ts';
import type { SessionStore, SessionView } from '../ports/sessions.ts';
import { textOf } from '../session/reply.ts';
import { firstSlotOf, runIdOf } from '../session/run-ids.ts';
import type { Channel, Served, Telling } from './deliver.ts';
import { type Destination, newDestination, type Progress } from './destination.ts';
import { type Read, type RunEnd, readFrame } from './run-ends.ts';

/**
 * Callbacks: the terminal and waiting events of a session, posted to one URL in order. Each has an id that stays the same for
 * every attempt; a failed delivery is retried for about three days.
 */

/** Sends one message, signed. Never rejects; resolves within {@link CALLBACK_TIMEOUT_MS}. */
export type PostCallback = (message: CallbackMessage) => Promise<CallbackOutcome>;

export interface CallbackMessage {
  readonly key: SessionKey;
  readonly url: string;
  /** `webhook-id`: what receivers deduplicate by. */
  readonly id: string;
  /** JSON. The same bytes at each try. */
  readonly body: string;
}

export type CallbackOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs?: number }
  /** There was no response, or no request was made: `code` says why (`timeout`, `address_refused`, `ECONNREFUSED`). */
  | { readonly kind: 'failed'; readonly code: string };

/** Timeout for a response, in ms. Standard Webhooks recommends 15 to 30 s. */
export const CALLBACK_TIMEOUT_MS = 15_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Pauses between the tries of one event, in ms: 28 tries in about three days. The example of the Standard Webhooks specification
 * ("Deliverability and reliability") begins with 5 s and lasts as long, but waits 5 and then 30 minutes: a receiver that was
 * restarted would hear half an hour later. Here no pause of the first 17 minutes is longer than 90 s, and later ones are about a
 * third of the outage.
 */
export const callbackPauses: readonly number[] = [
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  60 * SECOND,
  ...Array<number>(10).fill(90 * SECOND),
  5 * MINUTE,
  8 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  8 * HOUR,
  12 * HOUR,
  12 * HOUR,
  14 * HOUR,
  14 * HOUR,
];
/** Pauses are up to this share longer, so that failed deliveries do not come back all at once. */
const JITTER = 0.1;
/** The longest `Retry-After` that is respected, in ms. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;
/** Characters of the last message in a payload: Standard Webhooks recommends payloads below 20 KB. */
const MAX_MESSAGE = 16_000;
/** Frames read at a time. */
const PAGE = 1_000;

/** The one callback of a session. */
export const CALLBACK = 'callback';

export const callbackDestination = (url: string): Destination =>
  newDestination(CALLBACK, 'callback', { url });

/** The URL of a callback destination. */
export const callbackUrlOf = ({ config }: Destination): string => (config as { url: string }).url;

/** The channel's memory between deliveries. */
interface Memory {
  /** Everything that it has read of the run so far. */
  readonly read: Read;
  /** Epoch ms of the first try of the next event; it is part of the message. */
  readonly firstAt?: number;
  /** HTTP status of the last try, or why there was none. */
  readonly last?: number | string;
}

/** The progress of a callback. */
interface Heard extends Pick<Progress, 'cursor' | 'attempts' | 'state'> {
  readonly memory: Memory;
}

const memoryOf = ({ memory }: Destination): Memory => (memory as Memory | null) ?? { read: {} };

/** A callback as people see it at `GET /sessions/{id}`. */
export function callbackStatus(destination: Destination) {
  const { state, attempts, nextAt } = destination;
  const { last } = memoryOf(destination);
  return {
    url: callbackUrlOf(destination),
    state,
    attempts,
    ...defined({ lastStatus: last }),
    ...(nextAt > 0 && { nextAt: new Date(nextAt).toISOString() }),
  };
}

export interface CallbackPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'random'>;
  readonly sessions: Pick<SessionStore, 'slots'>;
  readonly post: PostCallback;
}

export function callbackChannel(io: CallbackPorts): Channel {
  return {
    isIdle: ({ state, cursor }, { session }) => state === 'disabled' || cursor >= session.eventSeq,
    serve: (turn) => serve(turn, io),
  };
}

/** Reads on from the cursor and sends each end that it finds, until it has read everything that is committed. */
async function serve(turn: Telling, io: CallbackPorts): Promise<Served> {
  const { cursor, attempts, state } = turn.destination;
  const committed = turn.view.session.eventSeq;
  let heard: Heard = { cursor, attempts, state, memory: memoryOf(turn.destination) };

  while (heard.cursor < committed) {
    const page = (await turn.frames(heard.cursor, PAGE)).filter(({ seq }) => seq <= committed);
    for (const frame of page) {
      const { read, end } = readFrame(heard.memory.read, frame);
      if (!end) {
        heard = { ...heard, cursor: frame.seq, memory: { ...heard.memory, read } };
        continue;
      }
      const sent = await sendEnd(turn, heard, end, io);
      if (sent.kind === 'stop') return sent.served;
      const { last } = sent;
      heard = { cursor: frame.seq, attempts: 0, state: sent.state, memory: { read, last } };
      if ((await turn.advance({ ...heard, nextAt: 0, hopAt: 0 })) === 'lost') return { patch: {} };
    }
    if (page.length < PAGE) heard = { ...heard, cursor: committed };
  }
  return { patch: heard };
}

type Sent =
  /** This event is finished: it was delivered, or given up. */
  | { readonly kind: 'on'; readonly state: Progress['state']; readonly last: number | string }
  /** Nothing after this event may be sent now. */
  | { readonly kind: 'stop'; readonly served: Served };

/** Tries to deliver one event. */
async function sendEnd(turn: Telling, heard: Heard, end: RunEnd, io: CallbackPorts): Promise<Sent> {
  const now = io.clock.now();
  if (now + CALLBACK_TIMEOUT_MS > turn.deadlineAt)
    return { kind: 'stop', served: { patch: heard, againAt: now } };

  // Stored before it is sent: after a crash, the message has to be the same one.
  const firstAt = heard.memory.firstAt ?? now;
  if (heard.memory.firstAt === undefined) {
    const kept = await turn.advance({ memory: { ...heard.memory, firstAt }, cursor: heard.cursor });
    if (kept === 'lost') return { kind: 'stop', served: { patch: {} } };
  }
  const outcome = await io.post(await messageFor(turn, end, firstAt, io));
  const last = outcome.kind === 'answered' ? outcome.status : outcome.code;
  const tried = { ...heard, memory: { ...heard.memory, firstAt, last } };
  const verdict = judge(outcome, heard.attempts, io);
  switch (verdict.kind) {
    case 'delivered':
      return { kind: 'on', state: 'active', last };
    case 'give_up':
      return { kind: 'on', state: 'given_up', last };
    case 'disable':
      return { kind: 'stop', served: { patch: { ...tried, state: 'disabled' } } };
    case 'again': {
      const patch = { ...tried, attempts: heard.attempts + 1 };
      return { kind: 'stop', served: { patch, againAt: io.clock.now() + verdict.afterMs } };
    }
    default:
      return verdict satisfies never;
  }
}

type Verdict =
  | { readonly kind: 'delivered' }
  /** Too many tries: this event is dropped, and the next one is tried. */
  | { readonly kind: 'give_up' }
  /** The receiver wants no more events (Standard Webhooks: 410). */
  | { readonly kind: 'disable' }
  | { readonly kind: 'again'; readonly afterMs: number };

/** Standard Webhooks: 2xx is success, 410 the end; everything else, redirects included, is a failure to retry. */
function judge(outcome: CallbackOutcome, attempts: number, { ids }: Pick<CallbackPorts, 'ids'>): Verdict {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300)
    return { kind: 'delivered' };
  if (outcome.kind === 'answered' && outcome.status === 410) return { kind: 'disable' };
  const pause = callbackPauses[attempts];
  if (pause === undefined) return { kind: 'give_up' };
  const asked = outcome.kind === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
  const afterMs = Math.max(pause * (1 + JITTER * ids.random()), Math.min(asked, MAX_RETRY_AFTER_MS));
  return { kind: 'again', afterMs: Math.ceil(afterMs) };
}

async function messageFor(
  { key, view, destination }: Telling,
  { seq, runId, result, interrupts }: RunEnd,
  at: number,
  { sessions }: Pick<CallbackPorts, 'sessions'>,
): Promise<CallbackMessage> {
  const { state, reason } = result;
  const waits = state === 'waiting_for_input' || state === 'waiting_for_tool';
  const text = await lastMessage(key, runIdOf(runId), result.steps, view, sessions);
  const data = {
    sessionId: key.sessionId,
    agent: view.session.agent,
    runId,
    state,
    reason,
    result,
    ...defined({ interrupts }),
    ...(text && { lastMessage: text.slice(0, MAX_MESSAGE).toWellFormed() }),
    ...(text.length > MAX_MESSAGE && { lastMessageCut: true }),
  };
  const type = waits ? 'session.waiting' : 'session.ended';
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  return { key, url: callbackUrlOf(destination), id: `evt_${key.sessionId}_${seq}`, body };
}

/**
 * The last message of the model in the first `steps` steps of a run; messages after a wait do not belong to that wait. The end
 * of the log is read first: the message is there unless another run has followed.
 */
async function lastMessage(
  key: SessionKey,
  runId: string,
  steps: number,
  { session: { version } }: SessionView,
  sessions: Pick<SessionStore, 'slots'>,
): Promise<string> {
  const first = firstSlotOf(runId);
  const near = Math.max(first, version - 4);
  for (const from of near > first ? [near, first] : [first]) {
    const slots = await sessions.slots(key, from);
    const texts = slots.flatMap(({ slot }) =>
      slot.kind === 'model' && slot.runId === runId && slot.step <= steps && slot.n < version && slot.reply
        ? [textOf(slot.reply.content)]
        : [],
    );
    const text = texts.findLast((said) => said.trim() !== '');
    if (text) return text;
  }
  return '';
}
