import type { AgUiEvent, Frame } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { SessionView } from '../ports/sessions.ts';
import { coalesce } from './coalesce.ts';
import { OPENING_MS, pauseBetweenPushes, pauseBetweenWrites } from './pace.ts';
import { packFrames } from './pack-frames.ts';

/**
 * The events that one step tells its clients. Numbers the frames and sends them to the event log and to subscribers. Rules:
 *
 * S1. Frames are numbered `epoch * 1e6 + n`: seq rises over all invocations without coordination.
 * S2. A frame that opens something (a run, step, message or call) is in the log before any client gets it, so a step that takes
 * over can close what a dead step left open.
 * S3. Each connection has one push in flight, and pushes are coalesced: the first words leave at once, later ones after pauses
 * that grow (`pace.ts`). A connection that is gone or slow is dropped, never waited for.
 * S4. The log gets a batch after a second or more (`pace.ts`), even if nothing more is said; and everything so far as soon as a
 * client subscribes.
 * S5. Frames that the log does not have when the step ends are part of its commit, in HEAD, if they are small: the log gets
 * them from there. Larger frames are in the log before the commit, and so is the end of a previous run: HEAD has the frames of
 * one.
 */
export interface EventStream {
  /** Emits an event. Returns at once. */
  emit(event: AgUiEvent): void;
  /** Continues the sequence of a dead attempt: its last frame in the log precedes ours. */
  follow(seq: number): void;
  /**
   * Ends output before the commit: frames that are emitted and not yet pushed go with the commit. Rejects if the log is needed
   * (S5) and cannot be written.
   */
  settle(): Promise<void>;
  /**
   * The frames of a commit: those that the log does not have yet, and the events, numbered after everything emitted.
   * {@link deliver} sends them when the commit has succeeded; until then they may be numbered again.
   */
  tail(events: readonly AgUiEvent[]): Frame[];
  /** Pushes those frames of a commit that were not pushed before it. The log gets them from HEAD. */
  deliver(frames: readonly Frame[], subscribers: readonly string[]): Promise<void>;
  /** The subscribers to push to from now on. A connection that was dropped in this step stays dropped. */
  subscribers(connectionIds: readonly string[]): void;
  /** Emits nothing more, because a newer owner does. */
  abandon(): void;
  /** Ends pushing; emitted frames still go out. */
  close(): Promise<void>;
}

/** Frames of one epoch; no step emits more than this in one attempt. */
export const FRAMES_PER_EPOCH = 1_000_000;

/**
 * Characters of JSON of frames that may wait in HEAD for the log (S5): deflated, about 1 KB. HEAD is written twice a step, so
 * more would cost more than the write to the log that it saves.
 */
const MAX_CARRIED = 4_000;

type StreamPorts = Pick<Ports, 'clock' | 'log' | 'sockets' | 'sessions'>;

/** The first seq of the epoch that `seq` belongs to. */
export const epochStart = (seq: number): number => seq - (seq % FRAMES_PER_EPOCH);

/** The first seq of an epoch, less one. */
export const seqBefore = (epoch: number): number => epoch * FRAMES_PER_EPOCH;

/**
 * Opens the stream of a claimed session. `view.tail`, the frames that commits have left in HEAD, goes to the log with its first
 * batch.
 *
 * @param pushEveryMs the longest pause in ms between two pushes while text comes
 */
export function openStream(
  key: SessionKey,
  view: SessionView,
  io: StreamPorts,
  pushEveryMs?: number,
): EventStream {
  const openedAt = io.clock.now();
  const first = seqBefore(view.fence.epoch);
  let seq = first;
  let last = view.session.eventSeq;
  let audience = new Set(view.fence.subscribers);
  let waiting: AgUiEvent[] = [];
  let unlogged: readonly Frame[] = view.tail;
  let loggedAt = openedAt;
  /** The last frame that was handed to {@link push}: {@link EventStream.deliver} sends the ones after it. */
  let handedOn: Frame | undefined;
  let firstPush: number | undefined;
  let lastPush = openedAt;
  let writing: Promise<void> = Promise.resolve();
  let pushing: Promise<void> = Promise.resolve();
  let pump: Promise<void> | undefined;
  let nap = new AbortController();
  let ended = false;
  const dropped = new Set<string>();

  const number = (events: readonly AgUiEvent[]): Frame[] =>
    coalesce(events).map((event, i) => ({ seq: seq + i + 1, prev: i === 0 ? last : seq + i, event }));

  /** Numbers the waiting events. */
  const numberWaiting = () => {
    const frames = number(waiting);
    waiting = [];
    seq += frames.length;
    last = frames.length > 0 ? seq : last;
    unlogged = [...unlogged, ...frames];
    return frames;
  };

  /** One write at a time; a failed batch is tried again with the next. */
  const writeLog = (): Promise<void> => {
    loggedAt = io.clock.now();
    writing = writing
      .catch(() => {})
      .then(async () => {
        const batch = unlogged;
        if (batch.length === 0) return;
        await io.log.append(key, batch);
        unlogged = unlogged.slice(batch.length);
      });
    return writing;
  };

  /** One push at a time, in order. Connections that subscribe while it waits are greeted instead ({@link greet}). */
  const push = (frames: readonly Frame[], may: Promise<boolean>): Promise<void> => {
    handedOn = frames.at(-1) ?? handedOn;
    const listeners = [...audience];
    pushing = Promise.all([may, pushing]).then(([allowed]) =>
      allowed ? pushAll(listeners, frames) : undefined,
    );
    return pushing;
  };

  /** Pushes to those that are still subscribed. */
  const pushAll = async (connections: readonly string[], frames: readonly Frame[]) => {
    const bodies = packFrames(key.sessionId, frames);
    const here = connections.filter((connection) => audience.has(connection));
    await Promise.all(here.map((connection) => pushTo(connection, bodies)));
  };

  const pushTo = async (connection: string, bodies: readonly string[]) => {
    for (const body of bodies) {
      const outcome = await io.sockets.post(connection, body);
      if (outcome === 'sent') continue;
      dropped.add(connection);
      audience.delete(connection);
      if (outcome === 'gone') await io.sessions.unsubscribe(key, connection).catch(() => {});
      return;
    }
  };

  /** Pushes the waiting frames; those that open something are in the log first (S2). */
  const pushWaiting = (): Promise<void> => {
    const frames = numberWaiting();
    if (frames.length === 0) return pushing;
    lastPush = io.clock.now();
    firstPush ??= lastPush;
    if (!unlogged.some(opens)) return push(frames, Promise.resolve(true));
    // Frames that could not be written stay for the next write, and are not pushed: clients find the gap by `prev`.
    return push(
      frames,
      writeLog().then(
        () => true,
        () => false,
      ),
    );
  };

  /** When the waiting frames are to be pushed, in epoch ms. */
  const pushAt = (): number => {
    if (audience.size === 0 || waiting.length === 0) return Number.POSITIVE_INFINITY;
    if (firstPush !== undefined) return lastPush + pauseBetweenPushes(lastPush - firstPush, pushEveryMs);
    return waiting.every(isOpening) ? openedAt + OPENING_MS : openedAt;
  };
  const logAt = (): number => loggedAt + pauseBetweenWrites(loggedAt - openedAt);

  /** Continues until everything is pushed and logged, even if the step emits nothing more. */
  const pumpOut = async () => {
    while (!ended && (waiting.length > 0 || unlogged.length > 0)) {
      if (pushAt() <= io.clock.now()) await pushWaiting();
      else if (logAt() <= io.clock.now()) {
        if (audience.size === 0) void push(numberWaiting(), Promise.resolve(true));
        await writeLog().catch(() => {});
      } else {
        await io.clock.sleep(Math.min(pushAt(), logAt()) - io.clock.now(), nap.signal);
        if (nap.signal.aborted) nap = new AbortController();
      }
    }
    pump = undefined;
  };

  const end = () => {
    ended = true;
    nap.abort('closed');
  };

  /**
   * A client that subscribes during a step has caught up from the log, which is behind, so the log gets everything first. The
   * newest pushed frame's `prev` then shows the client whether it misses something, even if nothing more comes for a while.
   */
  const greet = (newcomers: readonly string[]) => {
    const frame = handedOn;
    if (!frame) return;
    const logged = writeLog().catch(() => {});
    pushing = Promise.all([logged, pushing]).then(async () => {
      if (!unlogged.some(opens)) await pushAll(newcomers, [frame]);
    });
  };

  return {
    follow(before) {
      last = before;
    },
    emit(event) {
      if (ended) return;
      waiting.push(event);
      if (waiting.length === 1 || (firstPush === undefined && !isOpening(event))) nap.abort('news');
      pump ??= Promise.resolve().then(pumpOut);
    },
    async settle() {
      end();
      await writing.catch(() => {});
      numberWaiting();
      if (unlogged.some(ends) || JSON.stringify(unlogged).length > MAX_CARRIED) await writeLog();
    },
    tail: (events) => [...unlogged, ...number(events)],
    deliver(frames, subscribers) {
      audience = new Set(subscribers.filter((connection) => !dropped.has(connection)));
      return push(
        frames.filter((frame) => frame.seq > (handedOn?.seq ?? first)),
        Promise.resolve(true),
      );
    },
    subscribers(connectionIds) {
      // The commit brings its own subscribers, and another owner has those of an abandoned stream.
      if (ended) return;
      const wanted = connectionIds.filter((connection) => !dropped.has(connection));
      const newcomers = wanted.filter((connection) => !audience.has(connection));
      audience = new Set(wanted);
      if (newcomers.length === 0) return;
      greet(newcomers);
      nap.abort('newcomers');
    },
    abandon() {
      waiting = [];
      audience = new Set();
      end();
    },
    async close() {
      end();
      await pump;
      if (audience.size > 0) void pushWaiting();
      await pushing;
      // A caller that waits for the log may already have been told another failure.
      await writing.catch(() => {});
    },
  };
}

/** Whether the event only opens something that has no content to show yet. */
const isOpening = ({ type }: AgUiEvent): boolean => type === 'RUN_STARTED' || type === 'STEP_STARTED';

/** Whether the event ends a run. */
const ends = ({ event: { type } }: Frame): boolean => type === 'RUN_FINISHED' || type === 'RUN_ERROR';

/** Whether the event opens something that must be closed later. */
function opens({ event }: Frame): boolean {
  switch (event.type) {
    case 'RUN_STARTED':
    case 'STEP_STARTED':
    case 'TEXT_MESSAGE_START':
    case 'REASONING_MESSAGE_START':
    case 'TOOL_CALL_START':
      return true;
    default:
      return false;
  }
}
