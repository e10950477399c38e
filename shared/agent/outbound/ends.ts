import type { SessionKey } from '../../contract/session.ts';
import type { Clock, Ids } from '../ports/ports.ts';
import type { SessionStore, SessionView } from '../ports/sessions.ts';
import { textOf } from '../session/reply.ts';
import { firstSlotOf, runIdOf } from '../session/run-ids.ts';
import type { Served, Telling } from './deliver.ts';
import type { Destination, Progress } from './destination.ts';
import { type Read, type RunEnd, readFrame } from './run-ends.ts';

/**
 * Listeners that are told the ends and waits of runs, in order: callbacks and channels. A failed try is repeated after pauses. An end
 * is told at least once: a process may die after it was told and before that was noted.
 */

/** The outcome of a try. */
export type TellOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs?: number }
  /** There was no response, or no request was made: `code` says why (`timeout`, `address_refused`, `ECONNREFUSED`). */
  | { readonly kind: 'failed'; readonly code: string };

/** An end or a wait that a listener is told. */
export interface Ended {
  readonly key: SessionKey;
  readonly view: SessionView;
  readonly destination: Destination;
  readonly end: RunEnd;
  /** Epoch ms of the first try. It is the same at each try. */
  readonly at: number;
  /** The last message of the model in the run; empty if there is none. */
  readonly text: string;
}

export interface EndPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'random'>;
  readonly sessions: Pick<SessionStore, 'slots'>;
}

export interface EndListener extends EndPorts {
  /** Pauses between the tries of one end, in ms. After the last one, the end is given up. */
  readonly pauses: readonly number[];
  /** Longest time of a try, in ms. */
  readonly timeoutMs: number;
  /** Tells one end. Never rejects. */
  readonly tell: (ended: Ended) => Promise<TellOutcome>;
  /** Says that a run has begun, once and as best it can. */
  readonly begins?: (begun: Pick<Ended, 'key' | 'view' | 'destination'>) => Promise<void>;
}

/** Pauses are up to this share longer, so that failed deliveries do not come back all at once. */
const JITTER = 0.1;
/** The longest wait that a listener may ask for, in ms. */
const MAX_ASKED_MS = 24 * 3_600_000;
/** Frames read at a time. */
const PAGE = 1_000;

/** The channel's memory between deliveries. */
interface Memory {
  /** Everything that it has read of the run so far. */
  readonly read: Read;
  /** Epoch ms of the first try of the next event; it is part of the message. */
  readonly firstAt?: number;
  /** The run whose beginning was said. */
  readonly begun?: string;
  /** HTTP status of the last try, or why there was none. */
  readonly last?: number | string;
}

/** The progress of a listener. */
interface Heard extends Pick<Progress, 'cursor' | 'attempts' | 'state'> {
  readonly memory: Memory;
}

const memoryOf = ({ memory }: Destination): Memory => (memory as Memory | null) ?? { read: {} };

/** HTTP status of the last try, or why there was none; undefined before the first. */
export const lastTry = (destination: Destination): number | string | undefined => memoryOf(destination).last;

/** Reads on from the cursor and sends each end that it finds, until it has read everything that is committed. */
export async function serveEnds(turn: Telling, io: EndListener): Promise<Served> {
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
  const { runId } = heard.memory.read;
  if (!io.begins || runId === undefined || heard.memory.begun === runId) return { patch: heard };
  await io.begins(turn).catch(() => undefined);
  return { patch: { ...heard, memory: { ...heard.memory, begun: runId } } };
}

type Sent =
  /** This event is finished: it was delivered, or given up. */
  | { readonly kind: 'on'; readonly state: Progress['state']; readonly last: number | string }
  /** Nothing after this event may be sent now. */
  | { readonly kind: 'stop'; readonly served: Served };

/** Tries to deliver one event. */
async function sendEnd(turn: Telling, heard: Heard, end: RunEnd, io: EndListener): Promise<Sent> {
  const now = io.clock.now();
  if (now + io.timeoutMs > turn.deadlineAt) return { kind: 'stop', served: { patch: heard, againAt: now } };

  // Stored before it is sent: after a crash, the message has to be the same one.
  const firstAt = heard.memory.firstAt ?? now;
  if (heard.memory.firstAt === undefined) {
    const kept = await turn.advance({ memory: { ...heard.memory, firstAt }, cursor: heard.cursor });
    if (kept === 'lost') return { kind: 'stop', served: { patch: {} } };
  }
  const outcome = await io.tell(await endedOf(turn, end, firstAt, io));
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
function judge(
  outcome: TellOutcome,
  attempts: number,
  { ids, pauses }: Pick<EndListener, 'ids' | 'pauses'>,
): Verdict {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300)
    return { kind: 'delivered' };
  if (outcome.kind === 'answered' && outcome.status === 410) return { kind: 'disable' };
  const pause = pauses[attempts];
  if (pause === undefined) return { kind: 'give_up' };
  const asked = outcome.kind === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
  const afterMs = Math.max(pause * (1 + JITTER * ids.random()), Math.min(asked, MAX_ASKED_MS));
  return { kind: 'again', afterMs: Math.ceil(afterMs) };
}

async function endedOf(
  { key, view, destination }: Telling,
  end: RunEnd,
  at: number,
  { sessions }: Pick<EndPorts, 'sessions'>,
): Promise<Ended> {
  const text = await lastMessage(key, runIdOf(end.runId), end.result.steps, view, sessions);
  return { key, view, destination, end, at, text };
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
