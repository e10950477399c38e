import type { Random } from './random.ts';
import { createTrace, type Trace } from './trace.ts';

/**
 * Virtual time. Everything that happens is an event in one queue, and the seed orders events of the same time. After an
 * event, everything runs that waits only for promises, so a seed has exactly one history.
 */
export interface Scheduler {
  /** Epoch ms; an integer. */
  readonly now: number;
  /** Number of events carried out. */
  readonly events: number;
  readonly random: Random;
  readonly trace: Trace;
  /** Runs `action` in `ms`. */
  in(ms: number, action: () => void): Timer;
  /** Runs events until `done` returns true or there are none. */
  run(done: () => boolean): Promise<void>;
}

export interface Timer {
  cancelled: boolean;
}

interface Event extends Timer {
  readonly at: number;
  readonly lot: number;
  readonly action: () => void;
}

/** A round time in November 2026. */
const START = Date.UTC(2026, 10, 22);

export function createScheduler(random: Random): Scheduler {
  const heap: Event[] = [];
  let now = START;
  let events = 0;
  const trace = createTrace(() => now);

  return {
    get now() {
      return now;
    },
    get events() {
      return events;
    },
    random,
    trace,
    in(ms, action) {
      const event = { at: now + Math.max(0, Math.round(ms)), lot: random.next(), action, cancelled: false };
      push(heap, event);
      return event;
    },
    async run(done) {
      const carryOutNext = (): boolean => {
        let event = pop(heap);
        while (event?.cancelled) event = pop(heap);
        if (!event || done()) return false;
        now = event.at;
        events += 1;
        event.action();
        return true;
      };
      let goesOn = true;
      while (goesOn) goesOn = await turn(carryOutNext);
    },
  };
}

/** Number of events in one turn of Node's event loop. */
const PER_TURN = 64;

/**
 * Calls `next` as long as it returns true, at most {@link PER_TURN} times. Between two immediates Node runs everything
 * that waits only for promises. A turn of its loop, which asks the operating system, is the expensive part.
 * @returns whether `next` would continue
 */
function turn(next: () => boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let goesOn = true;
    for (let left = PER_TURN; left > 0; left--)
      setImmediate(() => {
        try {
          goesOn &&= next();
        } catch (error) {
          goesOn = false;
          reject(error);
        }
        if (left === 1) resolve(goesOn);
      });
  });
}

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.lot < b.lot);

function push(heap: Event[], event: Event): void {
  let i = heap.length;
  heap.push(event);
  while (i > 0) {
    const up = (i - 1) >> 1;
    const parent = heap[up] as Event;
    if (!before(event, parent)) break;
    heap[i] = parent;
    i = up;
  }
  heap[i] = event;
}

function pop(heap: Event[]): Event | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (!top || !last || heap.length === 0) return top;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Event, heap[child] as Event)) child += 1;
    if (!before(heap[child] as Event, last)) break;
    heap[i] = heap[child] as Event;
    i = child;
  }
  heap[i] = last;
  return top;
}
