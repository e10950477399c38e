import type { SessionKey } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import type { Channel } from './deliver.ts';
import { type Destination, newDestination } from './destination.ts';
import { type Ended, type EndPorts, lastTry, serveEnds, type TellOutcome } from './ends.ts';

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

export type CallbackOutcome = TellOutcome;

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
/** Characters of the last message in a payload: Standard Webhooks recommends payloads below 20 KB. */
const MAX_MESSAGE = 16_000;
/** The one callback of a session. */
export const CALLBACK = 'callback';

export const callbackDestination = (url: string): Destination =>
  newDestination(CALLBACK, 'callback', { url });

/** The URL of a callback destination. */
export const callbackUrlOf = ({ config }: Destination): string => (config as { url: string }).url;

/** A callback as people see it at `GET /sessions/{id}`. */
export function callbackStatus(destination: Destination) {
  const { state, attempts, nextAt } = destination;
  const last = lastTry(destination);
  return {
    url: callbackUrlOf(destination),
    state,
    attempts,
    ...defined({ lastStatus: last }),
    ...(nextAt > 0 && { nextAt: new Date(nextAt).toISOString() }),
  };
}

export interface CallbackPorts extends EndPorts {
  readonly post: PostCallback;
}

export function callbackChannel({ post, ...io }: CallbackPorts): Channel {
  return {
    isIdle: ({ state, cursor }, { session }) => state === 'disabled' || cursor >= session.eventSeq,
    serve: (turn) =>
      serveEnds(turn, {
        ...io,
        pauses: callbackPauses,
        timeoutMs: CALLBACK_TIMEOUT_MS,
        tell: (ended) => post(messageFor(ended)),
      }),
  };
}

function messageFor({ key, view, destination, end, at, text }: Ended): CallbackMessage {
  const { seq, runId, result, interrupts } = end;
  const { state, reason } = result;
  const waits = state === 'waiting_for_input' || state === 'waiting_for_tool';
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
