/** Follows one session: orders its frames, and fills gaps over HTTP. */

import type { AgUiEvent, Frame } from '../../shared/contract/events.ts';
import { type HttpClient, isFinal, ProblemError } from './http.ts';
import { type Order, skipGap, startAt, take } from './order.ts';
import { backoff, sleep } from './time.ts';

export interface Following {
  /** Seq of the last event delivered. */
  readonly cursor: number;
  take(frames: readonly Frame[]): void;
  /** Reads what the log holds after the cursor; once at a time. */
  catchUp(): void;
  stop(): void;
}

export interface FollowOptions {
  readonly sessionId: string;
  readonly after: number;
  readonly http: Pick<HttpClient, 'events' | 'messages'>;
  /** Called once for each event, in order. Must not throw. */
  readonly onEvent: (event: AgUiEvent, seq: number) => void;
  /** Something failed that is not tried again. */
  readonly onError: (error: unknown) => void;
}

/** The log is written about a second behind the pushes: so often a gap is looked for in it. */
const lookups = 8;

export function follow({ sessionId, after, http, onEvent, onError }: FollowOptions): Following {
  let order: Order = startAt(after);
  const stopped = new AbortController();
  let reading = false;
  let again = false;

  function apply(next: { order: Order; deliver: Frame[] }): void {
    order = next.order;
    for (const { event, seq } of next.deliver) {
      if (stopped.signal.aborted) return;
      onEvent(event, seq);
      if (event.type === 'CUSTOM' && event.name === 'steploop.snapshot_needed') void snapshot();
    }
  }

  /** The server cannot send all that happened: shows the messages as they are now. */
  async function snapshot(): Promise<void> {
    try {
      const messages = await http.messages(sessionId);
      if (!stopped.signal.aborted) onEvent({ type: 'MESSAGES_SNAPSHOT', messages }, order.last);
    } catch (error) {
      onError(error);
    }
  }

  async function read(): Promise<void> {
    for (let tries = 0; !stopped.signal.aborted; ) {
      const before = order.last;
      try {
        const { frames } = await http.events(sessionId, before);
        apply(take(order, frames));
      } catch (error) {
        if (error instanceof ProblemError && isFinal(error.problem)) return onError(error);
      }
      if (order.last > before) continue; // there may be more
      if (order.held.length === 0) return;
      if (++tries === lookups) {
        apply(skipGap(order));
        await snapshot();
        tries = 0;
      } else {
        await sleep(backoff(tries, 100, 1000), stopped.signal);
      }
    }
  }

  async function catchUp(): Promise<void> {
    again = true;
    if (reading) return;
    reading = true;
    while (again && !stopped.signal.aborted) {
      again = false;
      await read();
    }
    reading = false;
  }

  return {
    get cursor() {
      return order.last;
    },
    take(frames) {
      apply(take(order, frames));
      if (order.held.length > 0 && !reading) void catchUp();
    },
    catchUp: () => void catchUp(),
    stop: () => stopped.abort(),
  };
}
