/** Follows one session: orders its frames, fills gaps over HTTP, and delivers a strict AG-UI sequence. */

import type { AgUiEvent, Frame } from '../../shared/contract/events.ts';
import { isProgress } from '../../shared/contract/strict.ts';
import type { HttpClient } from './http-client.ts';
import { isFinal, ProblemError } from './problem.ts';
import { type ReadingOptions, startReading } from './reading.ts';
import { backoff, sleep } from './time.ts';

export interface Following {
  /** Seq of the last event delivered: the cursor. */
  readonly cursor: number;
  /** Seq of the last frame received: later frames still have to be requested. */
  readonly upTo: number;
  /** Whether a run is in progress, according to the delivered events. */
  readonly running: boolean;
  take(frames: readonly Frame[]): void;
  /** Reads the log's frames after the cursor; one read at a time. */
  catchUp(): void;
  stop(): void;
}

export interface FollowOptions extends ReadingOptions {
  readonly http: Pick<HttpClient, 'events' | 'messages'>;
  /** Called once for each event, in order. Must not throw. */
  readonly onEvent: (event: AgUiEvent, seq: number) => void;
  /** Called for events outside of a run. Must not throw. */
  readonly onAside?: ((event: AgUiEvent) => void) | undefined;
  /** Called for a failure that is not retried. */
  readonly onError: (error: unknown) => void;
}

/** Lookups of a gap in the log before it is given up: the log is written about a second behind the pushes. */
const lookups = 8;

export function follow({ http, onEvent, onAside, onError, ...options }: FollowOptions): Following {
  const { sessionId, after } = options;
  const reading = startReading(options);
  const stopped = new AbortController();
  let telling = false;
  let catchingUp = false;
  let again = false;

  /** Delivers all frames that can be delivered; pauses while the messages are read. */
  async function tell(): Promise<void> {
    if (telling) return;
    telling = true;
    for (let next = reading.next(); next && !stopped.signal.aborted; next = reading.next()) {
      if (next.kind === 'tell') {
        hand(next.events, next.frame.seq);
        if (next.events.length === 0 && isProgress(next.frame.event)) onAside?.(next.frame.event);
      } else await showMessages();
    }
    telling = false;
  }

  function hand(events: readonly AgUiEvent[], seq: number): void {
    for (const event of events) if (!stopped.signal.aborted) onEvent(event, seq);
  }

  async function showMessages(): Promise<void> {
    for (let tries = 0; !stopped.signal.aborted; tries++) {
      try {
        const messages = await http.messages(sessionId);
        return hand(reading.show(messages), reading.told);
      } catch (error) {
        if (error instanceof ProblemError && isFinal(error.problem)) return fail(error);
      }
      await sleep(backoff(tries, 100, 10_000), stopped.signal);
    }
  }

  function fail(error: unknown): void {
    if (stopped.signal.aborted) return;
    stopped.abort();
    onError(error);
  }

  async function read(): Promise<void> {
    for (let tries = 0; !stopped.signal.aborted; ) {
      const before = reading.order.last;
      try {
        const { frames } = await http.events(sessionId, before);
        reading.take(frames);
        void tell();
      } catch (error) {
        if (error instanceof ProblemError && isFinal(error.problem)) return fail(error);
      }
      if (reading.order.last > before) continue; // there may be more
      if (reading.order.held.length === 0) return;
      if (++tries === lookups) {
        reading.skip();
        void tell();
        tries = 0;
      } else {
        await sleep(backoff(tries, 100, 1000), stopped.signal);
      }
    }
  }

  async function catchUp(): Promise<void> {
    again = true;
    if (catchingUp) return;
    catchingUp = true;
    while (again && !stopped.signal.aborted) {
      again = false;
      await read();
    }
    catchingUp = false;
  }

  // Not before the caller has its subscription.
  queueMicrotask(() => hand(reading.begin(), after));

  return {
    get cursor() {
      return reading.told;
    },
    get upTo() {
      return reading.order.last;
    },
    get running() {
      return reading.running;
    },
    take(frames) {
      reading.take(frames);
      void tell();
      if (reading.order.held.length > 0 && !catchingUp) void catchUp();
    },
    catchUp: () => void catchUp(),
    stop: () => stopped.abort(),
  };
}
