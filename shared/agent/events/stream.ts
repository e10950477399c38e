import type { AgUiEvent, Frame } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { SessionView } from '../ports/sessions.ts';
import { coalesce } from './coalesce.ts';
import { OPENING_MS, pauseBetweenPushes, pauseBetweenWrites } from './pace.ts';
import { packFrames } from './pack-frames.ts';

/**
 * What one step tells its clients. Owns the numbering of its frames and their way to the event log and to the
 * subscribers. Rules:
 *
 * S1. Frames are numbered `epoch * 1e6 + n`: seq rises over all invocations without asking anyone.
 * S2. A frame that opens something (a run, step, message or call) is in the log before any client is pushed it, so
 *     whoever takes over can close what a dead step left open.
 * S3. Pushes are one in flight per connection and coalesced: the first words leave at once, later ones after pauses
 *     that grow (`pace.ts`). A connection that is gone or slow is dropped, never waited for.
 * S4. The log gets a batch after a second or more (`pace.ts`), also when nothing more is said; and all there is as soon as
 *     somebody begins to follow.
 * S5. What the log has not got when the step ends goes with its commit, in HEAD, if it is little: the log gets it from there.
 *     More than that is in the log before the commit, and so is the end of a run before: HEAD has the frames of one.
 */
export interface EventStream {
  /** Tells an event. Returns at once. */
  emit(event: AgUiEvent): void;
  /** Continues the line of a dead attempt: its last frame in the log is the one before ours. */
  follow(seq: number): void;
  /**
   * Ends what goes out before the commit: what has been emitted and not pushed goes with it. Rejects when the log is needed (S5)
   * and cannot be written.
   */
  settle(): Promise<void>;
  /**
   * The frames of a commit: those that the log has not got yet, and the events, numbered after everything emitted. They go out with
   * {@link deliver} when the commit has succeeded; until then they may be numbered again.
   */
  tail(events: readonly AgUiEvent[]): Frame[];
  /** Pushes what of the frames of a commit was not pushed before it. The log gets them from HEAD. */
  deliver(frames: readonly Frame[], subscribers: readonly string[]): Promise<void>;
  /** Whom to push to from now on. A connection that was dropped in this step stays dropped. */
  subscribers(connectionIds: readonly string[]): void;
  /** Says nothing more: a newer owner speaks now. */
  abandon(): void;
  /** Ends pushing; what has been emitted still goes out. */
  close(): Promise<void>;
}

/** Frames of one epoch; a step that emits more than this in one attempt does not exist. */
export const FRAMES_PER_EPOCH = 1_000_000;

/**
 * Characters of JSON of frames that may wait in HEAD for the log (S5): deflated, about 1 KB. HEAD is written twice a step, so more
 * would cost more than the write of the log that it spares.
 */
const MAX_CARRIED = 4_000;

type StreamPorts = Pick<Ports, 'clock' | 'log' | 'sockets' | 'sessions'>;

/** The first seq of the epoch that `seq` is of. */
export const epochStart = (seq: number): number => seq - (seq % FRAMES_PER_EPOCH);

/** The first seq of an epoch, less one. */
export const seqBefore = (epoch: number): number => epoch * FRAMES_PER_EPOCH;

/** Opens the stream of a claimed session. `view.tail`, what commits have left in HEAD, goes to the log with its first batch. */
export function openStream(key: SessionKey, view: SessionView, io: StreamPorts): EventStream {
  const openedAt = io.clock.now();
  let seq = seqBefore(view.fence.epoch);
  let last = view.session.eventSeq;
  let audience = new Set(view.fence.subscribers);
  let waiting: AgUiEvent[] = [];
  let unlogged: readonly Frame[] = view.tail;
  let loggedAt = openedAt;
  let newest: Frame | undefined;
  /** Number of the last frame that was handed to {@link push}. */
  let handedOn = seq;
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

  /** Gives their numbers to what waits. */
  const numberWaiting = () => {
    const frames = number(waiting);
    waiting = [];
    seq += frames.length;
    last = frames.length > 0 ? seq : last;
    newest = frames.at(-1) ?? newest;
    unlogged = [...unlogged, ...frames];
    return frames;
  };

  /** One write at a time; a batch that failed is tried again with the next. */
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

  /** One push at a time, in order. */
  const push = (frames: readonly Frame[], may: Promise<boolean>): Promise<void> => {
    handedOn = frames.at(-1)?.seq ?? handedOn;
    pushing = Promise.all([may, pushing]).then(async ([allowed]) => {
      if (!allowed) return;
      const bodies = packFrames(key.sessionId, frames);
      await Promise.all([...audience].map((connection) => pushTo(connection, bodies)));
    });
    return pushing;
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

  /** Pushes what waits: what opens something is in the log first (S2). */
  const pushWaiting = (): Promise<void> => {
    const frames = numberWaiting();
    if (frames.length === 0) return pushing;
    lastPush = io.clock.now();
    firstPush ??= lastPush;
    if (!unlogged.some(opens)) return push(frames, Promise.resolve(true));
    // What could not be written stays for the next write, and is not pushed: clients find the gap by `prev`.
    return push(
      frames,
      writeLog().then(
        () => true,
        () => false,
      ),
    );
  };

  /** When what waits is to be pushed, in epoch ms. */
  const pushAt = (): number => {
    if (audience.size === 0 || waiting.length === 0) return Number.POSITIVE_INFINITY;
    if (firstPush !== undefined) return lastPush + pauseBetweenPushes(lastPush - firstPush);
    return waiting.every(isOpening) ? openedAt + OPENING_MS : openedAt;
  };
  const logAt = (): number => loggedAt + pauseBetweenWrites(loggedAt - openedAt);

  /** Goes on until all is pushed and logged, also when the step falls silent. */
  const pumpOut = async () => {
    while (!ended && (waiting.length > 0 || unlogged.length > 0)) {
      if (pushAt() <= io.clock.now()) await pushWaiting();
      else if (logAt() <= io.clock.now()) {
        if (audience.size === 0) numberWaiting();
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
   * Who subscribes in the middle has caught up from the log, which is behind: it gets all there is first. The newest frame then shows
   * them by its `prev` whether they miss something, also when nothing more comes for a while.
   */
  const greet = (newcomers: readonly string[]) => {
    const frame = newest;
    if (!frame) return;
    const logged = writeLog().catch(() => {});
    pushing = Promise.all([logged, pushing]).then(async () => {
      if (unlogged.some(opens)) return;
      const bodies = packFrames(key.sessionId, [frame]);
      await Promise.all(newcomers.map((connection) => pushTo(connection, bodies)));
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
        frames.filter((frame) => frame.seq > handedOn),
        Promise.resolve(true),
      );
    },
    subscribers(connectionIds) {
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
      // Whoever waited for the log may have been told first that something else failed.
      await writing.catch(() => {});
    },
  };
}

/** Whether the event only says that something begins which has nothing to show yet. */
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
