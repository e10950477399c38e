import type { Clock } from '../../shared/agent/ports/ports.ts';
import type { Scheduler } from './scheduler.ts';

/**
 * One execution environment: our code runs on it until it is killed. While it is frozen, nothing that it waits for
 * arrives; it arrives at the thaw, as Lambda does between invocations.
 */
export interface Host {
  readonly name: string;
  readonly skewMs: number;
  readonly alive: boolean;
  readonly frozen: boolean;
  readonly clock: Clock;
  /** Delivers something to the code on this host: now, at the thaw, or never. */
  deliver(action: () => void): void;
  freeze(): void;
  thaw(): void;
  kill(): void;
  /** Called once, when it is killed. The last callback given counts. */
  onKill(tell: () => void): void;
}

export function createHost(name: string, skewMs: number, scheduler: Scheduler): Host {
  let alive = true;
  let frozen = false;
  let waiting: (() => void)[] = [];
  let killed = () => {};

  const host: Host = {
    name,
    skewMs,
    get alive() {
      return alive;
    },
    get frozen() {
      return frozen;
    },
    clock: {
      now: () => scheduler.now + skewMs,
      sleep(ms, signal) {
        if (signal?.aborted) return Promise.resolve();
        return new Promise((resolve) => {
          const timer = scheduler.in(ms, () => host.deliver(wake));
          function wake(): void {
            signal?.removeEventListener('abort', abort);
            resolve();
          }
          function abort(): void {
            timer.cancelled = true;
            resolve();
          }
          signal?.addEventListener('abort', abort, { once: true });
        });
      },
    },
    deliver(action) {
      if (!alive) return;
      if (frozen) waiting.push(action);
      else action();
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      if (!frozen) return;
      frozen = false;
      const due = waiting;
      waiting = [];
      // One after the other, with everything else in between.
      for (const action of due) scheduler.in(0, () => host.deliver(action));
    },
    kill() {
      if (!alive) return;
      alive = false;
      waiting = [];
      killed();
    },
    onKill(tell) {
      killed = tell;
    },
  };
  return host;
}
