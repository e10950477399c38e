import type { AgUiEvent, Frame } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Ports, SessionView } from '../ports.ts';
import { coalesce } from './coalesce.ts';

/**
 * What one step tells its clients. Owns the numbering of its frames and their way to the event log and to the
 * subscribers. Rules:
 *
 * S1. Frames are numbered `epoch * 1e6 + n`: seq rises over all invocations without asking anyone.
 * S2. A frame that opens something (a run, step, message or call) is in the log before any client sees it, so
 *     whoever takes over can close what a dead step left open.
 * S3. Pushes are one in flight per connection and coalesced; the first leaves at once, later ones about every
 *     100 ms (docs/design.md). A connection that is gone or slow is dropped, never waited for.
 * S4. The log gets a batch about every second, also when nothing more is said, and everything before the commit.
 */
export interface EventStream {
  /** Tells an event. Returns at once. */
  emit(event: AgUiEvent): void;
  /** Continues the line of a dead attempt: its last frame in the log is the one before ours. */
  follow(seq: number): void;
  /** Resolves when everything emitted is in the log. Rejects when the log cannot be written. */
  logged(): Promise<void>;
  /**
   * Numbers the events of a commit, after everything emitted. They go out with {@link deliver} when the commit has
   * succeeded; until then they may be numbered again.
   */
  tail(events: readonly AgUiEvent[]): Frame[];
  /** Pushes the frames of a commit. The log gets them from HEAD. */
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
/** Pause between two pushes in ms (docs/design.md: about 100). */
const PUSH_MS = 100;
/** Age in ms at which frames go to the log (docs/design.md: about 1 s). */
const LOG_MS = 1_000;

type StreamPorts = Pick<Ports, 'clock' | 'log' | 'sockets' | 'sessions'>;

/** The first seq of the epoch that `seq` is of. */
export const epochStart = (seq: number): number => seq - (seq % FRAMES_PER_EPOCH);

/** The first seq of an epoch, less one. */
export const seqBefore = (epoch: number): number => epoch * FRAMES_PER_EPOCH;

/** Opens the stream of a claimed session. `view.tail`, the last commit's frames, joins the first log batch. */
export function openStream(key: SessionKey, view: SessionView, io: StreamPorts): EventStream {
  let seq = seqBefore(view.fence.epoch);
  let last = view.session.eventSeq;
  let audience = new Set(view.fence.subscribers);
  let waiting: AgUiEvent[] = [];
  let unlogged: readonly Frame[] = view.tail;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();
  let pushing: Promise<void> = Promise.resolve();
  let pump: Promise<void> | undefined;
  let newest: Frame | undefined;
  const dropped = new Set<string>();
  const closing = new AbortController();

  const number = (events: readonly AgUiEvent[]): Frame[] =>
    coalesce(events).map((event, i) => ({ seq: seq + i + 1, prev: i === 0 ? last : seq + i, event }));

  /** One write at a time; a batch that failed is tried again with the next. */
  const writeLog = (): Promise<void> => {
    writing = writing
      .catch(() => {})
      .then(async () => {
        const batch = unlogged;
        if (batch.length === 0) return;
        await io.log.append(key, batch);
        unlogged = unlogged.slice(batch.length);
        loggedAt = io.clock.now();
      });
    return writing;
  };

  /** One push at a time, in order. */
  const push = (frames: readonly Frame[], may: Promise<boolean>): Promise<void> => {
    pushing = Promise.all([may, pushing]).then(async ([allowed]) => {
      if (!allowed) return;
      newest = frames.at(-1);
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

  /** Sends what is waiting: to the log first when S2 or S4 asks for it. */
  const sendWaiting = (): Promise<void> => {
    if (waiting.length === 0) return pushing;
    const frames = number(waiting);
    waiting = [];
    seq += frames.length;
    last = seq;
    unlogged = [...unlogged, ...frames];
    const mustLog = frames.some(opens);
    if (!mustLog && io.clock.now() - loggedAt < LOG_MS) return push(frames, Promise.resolve(true));
    const logged = writeLog().then(
      () => true,
      // The batch stays for the next write. What opens something is not pushed before: clients find the gap by `prev`.
      () => !mustLog,
    );
    return push(frames, logged);
  };

  /** Goes on until all is pushed and, when the step falls silent, logged (S4). */
  const pumpOut = async () => {
    while (!closing.signal.aborted && (waiting.length > 0 || unlogged.length > 0)) {
      if (waiting.length > 0) await sendWaiting();
      else if (io.clock.now() - loggedAt >= LOG_MS) await writeLog().catch(() => {});
      await io.clock.sleep(PUSH_MS, closing.signal);
    }
    pump = undefined;
  };

  /**
   * Who subscribes in the middle has caught up from the log, which is a second behind. The newest frame shows them by
   * its `prev` whether they miss something, also when nothing more comes for a while.
   */
  const greet = (newcomers: readonly string[]) => {
    pushing = pushing.then(async () => {
      if (newest) {
        const bodies = packFrames(key.sessionId, [newest]);
        await Promise.all(newcomers.map((connection) => pushTo(connection, bodies)));
      }
    });
  };

  return {
    follow(before) {
      last = before;
    },
    emit(event) {
      if (closing.signal.aborted) return;
      waiting.push(event);
      pump ??= Promise.resolve().then(pumpOut);
    },
    async logged() {
      void sendWaiting();
      await writeLog();
    },
    tail: number,
    deliver(frames, subscribers) {
      audience = new Set(subscribers.filter((connection) => !dropped.has(connection)));
      return push(frames, Promise.resolve(true));
    },
    subscribers(connectionIds) {
      const wanted = connectionIds.filter((connection) => !dropped.has(connection));
      const newcomers = wanted.filter((connection) => !audience.has(connection));
      audience = new Set(wanted);
      if (newcomers.length > 0) greet(newcomers);
    },
    abandon() {
      waiting = [];
      audience = new Set();
      closing.abort('closed');
    },
    async close() {
      void sendWaiting();
      closing.abort('closed');
      await pump;
      await pushing;
      // Whoever waited for the log may have been told first that something else failed.
      await writing.catch(() => {});
    },
  };
}

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

/** A WebSocket frame of API Gateway is 32 KB; a push is kept below, other than for a single large event. */
const PUSH_BYTES = 30_000;
const utf8 = new TextEncoder();

/** The bodies to post: `{ sessionId, frames }`, each as many frames as fit. */
export function packFrames(sessionId: string, frames: readonly Frame[]): string[] {
  const bodies: string[] = [];
  let pack: string[] = [];
  let size = 0;
  const flush = () => {
    if (pack.length > 0)
      bodies.push(`{"sessionId":${JSON.stringify(sessionId)},"frames":[${pack.join(',')}]}`);
    pack = [];
    size = 0;
  };
  for (const frame of frames) {
    const text = JSON.stringify(frame);
    const bytes = utf8.encode(text).length;
    if (size + bytes > PUSH_BYTES) flush();
    pack.push(text);
    size += bytes;
  }
  flush();
  return bodies;
}
