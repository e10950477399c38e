/** Follows one session: orders its frames, fills gaps over HTTP, and tells a strict AG-UI line. */

import type { AgUiEvent, Frame } from '../../shared/contract/events.ts';
import { isProgress } from '../../shared/contract/strict.ts';
import { type HttpClient, isFinal, ProblemError } from './http.ts';
import { type ReadingOptions, startReading } from './reading.ts';
import { backoff, sleep } from './time.ts';

export interface Following {
  /** Seq of the last event delivered: the cursor. */
  readonly cursor: number;
  /** Seq of the last frame that is here: what comes after it is still to be asked for. */
  readonly upTo: number;
  /** A run goes on, as far as was told. */
  readonly running: boolean;
  take(frames: readonly Frame[]): void;
  /** Reads what the log holds after the cursor; once at a time. */
  catchUp(): void;
  stop(): void;
}

export interface FollowOptions extends ReadingOptions {
  readonly http: Pick<HttpClient, 'events' | 'messages'>;
  /** Called once for each event, in order. Must not throw. */
  readonly onEvent: (event: AgUiEvent, seq: number) => void;
  /** Called for what is told while no run is open. Must not throw. */
  readonly onAside?: ((event: AgUiEvent) => void) | undefined;
  /** Something failed that is not tried again. */
  readonly onError: (error: unknown) => void;
}

/** The log is written about a second behind the pushes: so often a gap is looked for in it. */
const lookups = 8;

export function follow({ http, onEvent, onAside, onError, ...options }: FollowOptions): Following {
  const { sessionId, after } = options;
  const reading = startReading(options);
  const stopped = new AbortController();
  let telling = false;
  let catchingUp = false;
  let again = false;

  /** Tells all that can be told; holds it back while the messages are read. */
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

  // Not before the caller has its subscription in hand.
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
