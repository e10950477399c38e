import { catchUp } from '../../shared/agent/events/catch-up.ts';
import { toSnapshot } from '../../shared/agent/events/snapshot.ts';
import { slotsOf } from '../../shared/agent/lineage/slots.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import { withOpen } from '../../shared/contract/ag-ui.ts';
import type { AgUiEvent, Frame, SnapshotMessage } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { type StrictLine, strictLine } from '../../shared/contract/strict.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import type { Out } from '../middleware/stream-response.ts';

/** Polling interval of the log during a run, in ms: steps write it about every second. */
const POLL_MS = 400;
/** Silence after which a comment is sent, in ms, so that proxies keep the connection open. */
const KEEP_ALIVE_MS = 15_000;
/** Frames per read. */
const PAGE = 500;
/** How often a response checks that it still has its place, in ms. */
const LOOK_MS = 5_000;

type StreamPorts = Pick<Ports, 'clock' | 'sessions' | 'log'>;

/** One reader of one session, over SSE. */
export interface Reader {
  readonly key: SessionKey;
  /** The client's id of the session. */
  readonly threadId: string;
  /** Epoch ms by which the answer must have ended. */
  readonly deadlineAt: number;
  /** Translates an event into the client's protocol. */
  readonly shown: (event: AgUiEvent) => Promise<readonly object[]>;
  /** Whether open parts are ended before the client is told to reconnect. A client that continues an answer needs them open. */
  readonly closes: boolean;
  readonly out: Out;
  /** Whether the response still has its place among those of its tenant. */
  readonly mayStay: () => Promise<boolean>;
}

/** An SSE event, as AG-UI (`EventEncoder.encodeSSE` of `@ag-ui/encoder`) and the AI SDK (`JsonToSseTransformStream`) encode it. */
export const encodeSse = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/**
 * Streams the events after `cursor` until the session is at rest. Before the deadline, or when it must make room for another
 * response, it ends open parts and sends `steploop.reconnect`; the run continues without its reader. If the reader is known to
 * have left, the stream just ends.
 *
 * @param joined what the reader already sees of the current run
 * @returns whether any event was sent
 */
export async function tellUntilRest(
  reader: Reader,
  cursor: number,
  joined: { readonly runId?: string; readonly messages?: SnapshotMessage[] },
  io: StreamPorts & { readonly isOutage: IsOutage },
): Promise<boolean> {
  const { key, threadId, deadlineAt } = reader;
  const line = strictLine({ threadId, ...joined });
  const out = writer(reader, io);
  await out.comment();
  await out.tell(line.begin());

  let last = cursor;
  /** The end of a run that waits for children: it is told only if the run does not go on while the reader is here. */
  let held: Frame | undefined;
  const look = async (): Promise<'news' | 'rest' | 'nothing'> => {
    const frames = (await catchUp(key, last, PAGE, io)) ?? [];
    for (const frame of frames) {
      const goesOn = held !== undefined && frame.event.type === 'RUN_STARTED';
      if (goesOn) held = undefined;
      else if (line.running && waitsForChildren(frame.event)) held = frame;
      else await out.tell(await eventsFor(frame, line, key, io));
      last = frame.seq;
    }
    if (frames.length > 0) return 'news';
    if ((line.running && !held) || !(await isAtRest(key, last, io))) return 'nothing';
    if (held) await out.tell(await eventsFor(held, line, key, io));
    return 'rest';
  };
  let lookedAt = io.clock.now();
  while (io.clock.now() < deadlineAt) {
    if (reader.out.left()) return true;
    if (io.clock.now() - lookedAt >= LOOK_MS) {
      lookedAt = io.clock.now();
      if (!(await reader.mayStay())) break;
    }
    const found = await look().catch((error: unknown) => {
      // The run outlasts an outage, and so does the reader: it polls again.
      if (io.isOutage(error)) return 'nothing';
      throw error;
    });
    if (found === 'rest') return out.told();
    if (found === 'news') continue;
    await out.keepAlive();
    await io.clock.sleep(POLL_MS);
  }
  // The protocol allows no event outside of a run, and an empty stream is no answer.
  const begin: AgUiEvent[] = out.told() ? [] : [{ type: 'RUN_STARTED', threadId, runId: threadId }];
  if (line.running || begin.length > 0) {
    const event: AgUiEvent = { type: 'CUSTOM', name: 'steploop.reconnect', value: { after: last } };
    await out.tell([...begin, ...(reader.closes ? line.pause() : []), event]);
  }
  return true;
}

/** Sends a session at rest: its messages, and how its last run ended. */
export async function tellRest(
  reader: Reader,
  view: SessionView | undefined,
  io: StreamPorts,
): Promise<void> {
  const { threadId } = reader;
  const runId = view?.session.run?.id ?? threadId;
  const messages = view ? await readMessages(view, io) : [];
  const out = writer(reader, io);
  await out.tell([
    { type: 'RUN_STARTED', threadId, runId },
    { type: 'MESSAGES_SNAPSHOT', messages },
  ]);
  // If nothing has run here yet, there is no result.
  const ended =
    (view && restOf(view)) ??
    ({ type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' } } as AgUiEvent);
  await out.tell([ended.type === 'RUN_FINISHED' ? { ...ended, threadId } : ended]);
}

/** How the last run of a session ended; undefined if nothing has run yet. */
export function restOf(view: SessionView): AgUiEvent | undefined {
  const end = view.tail.findLast(({ event }) => isTerminal(event))?.event;
  return end && openOnly(end, view);
}

/** The end of a run that waits for people, without the requests that were decided since. */
const openOnly = (end: AgUiEvent, { fence, session: { batch } }: SessionView): AgUiEvent =>
  withOpen(end, [...fence.pending, ...(batch?.asks ?? []).map(({ id }) => id)]);

/** The committed conversation, as people see it. */
export async function readMessages(
  { session }: SessionView,
  io: Pick<Ports, 'sessions'>,
): Promise<SnapshotMessage[]> {
  const slots = await slotsOf(session, 0, io.sessions);
  return toSnapshot(slots.map(({ slot }) => slot).filter(({ n }) => n < session.version));
}

export const isTerminal = ({ type }: AgUiEvent): boolean => type === 'RUN_FINISHED' || type === 'RUN_ERROR';

/** SSE has no limit of 128 KB per message, so it sends snapshots that WebSocket clients must fetch themselves. */
async function eventsFor(
  frame: Frame,
  line: StrictLine,
  key: SessionKey,
  io: StreamPorts,
): Promise<AgUiEvent[]> {
  const events = line.next(await asItStands(frame, key, io));
  if (frame.event.type !== 'CUSTOM' || frame.event.name !== 'steploop.snapshot_needed') return events;
  const view = await io.sessions.read(key);
  return view ? [...events, ...line.snapshot(await readMessages(view, io))] : events;
}

async function asItStands(frame: Frame, key: SessionKey, io: StreamPorts): Promise<Frame> {
  const { event } = frame;
  if (event.type !== 'RUN_FINISHED' || event.outcome?.type !== 'interrupt') return frame;
  const view = await io.sessions.read(key);
  return view ? { ...frame, event: openOnly(event, view) } : frame;
}

/** Whether nothing is due, no child is at work, and all events were sent. */
async function isAtRest(key: SessionKey, told: number, io: StreamPorts): Promise<boolean> {
  const view = await io.sessions.read(key);
  const isIdle = view?.dueAt === undefined && view?.session.reason !== 'awaiting_child';
  return !view || (isIdle && view.session.eventSeq <= told);
}

/** The end of an AG-UI run that waits for children, and perhaps for people whom some of them ask (docs/children.md). */
const waitsForChildren = (event: AgUiEvent): boolean =>
  event.type === 'RUN_FINISHED' &&
  event.outcome.type === 'interrupt' &&
  event.outcome.interrupts.some(({ reason }) => reason === 'child');

function writer({ shown, out }: Reader, { clock }: StreamPorts) {
  let told = false;
  let wroteAt = clock.now();
  const send = (text: string) => {
    wroteAt = clock.now();
    return out.write(text);
  };
  return {
    told: () => told,
    comment: () => send(': steploop\n\n'),
    async keepAlive() {
      if (clock.now() - wroteAt >= KEEP_ALIVE_MS) await send(': keep-alive\n\n');
    },
    async tell(events: readonly AgUiEvent[]) {
      let text = '';
      // Sequential, because what is shown of an event may depend on those before it.
      for (const event of events) text += (await shown(event)).map(encodeSse).join('');
      if (events.length > 0) told = true;
      if (text !== '') await send(text);
    },
  };
}
