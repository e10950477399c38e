import type { Callers } from './callers.ts';

/** How often calls that rest look again, in ms: what they wait for may happen in another function. */
const LOOK_AGAIN_MS = 20;

/** Calls that wait for an environment. Callers take turns; the calls of one caller, and all calls without one, keep their order. */
export interface Line {
  readonly length: number;
  add(caller: string | undefined, begin: () => void): void;
  /** Begins the next call that may begin; false if there is none. */
  next(): boolean;
  /** Begins the calls of all callers: the pool is stopped. */
  drain(): void;
}

/**
 * @param callers undefined = calls begin as they came
 * @param wake called when a call that had to wait for its turn may begin
 */
export function createLine(callers: Callers | undefined, wake: () => void): Line {
  /** By caller; the caller whose turn comes next is first. */
  const queues = new Map<string | undefined, (() => void)[]>();
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  const shift = (caller: string | undefined, queue: (() => void)[]): void => {
    const begin = queue.shift();
    length -= 1;
    queues.delete(caller);
    if (queue.length > 0) queues.set(caller, queue);
    begin?.();
  };
  return {
    get length() {
      return length;
    },
    add(caller, begin) {
      const queue = queues.get(caller);
      if (queue) queue.push(begin);
      else queues.set(caller, [begin]);
      length += 1;
      if (caller !== undefined) callers?.arrived(caller);
    },
    next() {
      clearTimeout(timer);
      let soonest = Number.POSITIVE_INFINITY;
      for (const [caller, queue] of queues) {
        const rest = caller === undefined ? 0 : (callers?.restOf(caller) ?? 0);
        if (rest === 0) {
          shift(caller, queue);
          return true;
        }
        soonest = Math.min(soonest, rest);
      }

      if (length > 0) timer = setTimeout(wake, Math.min(soonest, LOOK_AGAIN_MS)).unref();
      return false;
    },
    drain() {
      clearTimeout(timer);
      for (const queue of queues.values()) for (const begin of queue) begin();
      queues.clear();
      length = 0;
    },
  };
}
