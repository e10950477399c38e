import type { Ports } from '../../shared/agent/ports/ports.ts';
import { createHost, type Host } from './host.ts';
import { type Caller, Unreachable } from './network.ts';
import type { World } from './world.ts';

/** Timeouts of the functions other than the step, in ms (`infra/`). */
export const TIMEOUT_MS = { tool: 90_000, deadLetter: 60_000, sweep: 58_000, http: 29_000 };

/** The part of its time that a sweep reserves for the sessions it has begun with (`functions/sweep.ts`). */
export const SWEEP_RESERVE_MS = 10_000;

/**
 * The environments of one function. Each runs one invocation at a time, is frozen between two, and dies when killed.
 */
export interface Slot {
  host: Host | undefined;
  busy: boolean;
  /** Its last invocation. */
  caller?: Caller;
  /** Called when it is free again. */
  freed?: () => void;
}

/** Runs a handler as an invocation on an environment. `ended` is called once: with an answer, or when it was killed. */
export function invoke<T>(
  world: World,
  slot: Slot,
  timeoutMs: number,
  handler: (caller: Caller) => Promise<T>,
  ended: (end: { answer: T } | { error: unknown } | 'killed') => void,
): void {
  const { scheduler, faults, ledger } = world;
  slot.busy = true;
  // A frozen environment may have been killed meanwhile.
  const host = slot.host?.alive ? slot.host : createHost(`h${++world.hosts}`, world.skew(), scheduler);
  slot.host = host;
  host.thaw();
  const caller: Caller = { id: `i${++world.invocations}`, host, over: false };
  slot.caller = caller;
  world.callers.set(caller.id, caller);
  world.began.set(caller.id, scheduler.events);
  let over = false;
  const end = (how: Parameters<typeof ended>[0]) => {
    if (over) return;
    over = true;
    caller.over = true;
    deadline.cancelled = true;
    slot.busy = false;
    if (how === 'killed') slot.host = undefined;
    else host.freeze();
    ended(how);
    slot.freed?.();
  };
  const kill = (why: string) => {
    if (over) return;
    scheduler.trace.say(host.name, 'killed', why);
    host.kill();
  };
  host.onKill(() => scheduler.in(0, () => end('killed')));
  const deadline = scheduler.in(timeoutMs, () => kill('timeout'));
  if (faults.strikes('noInit')) {
    kill('no init');
    return;
  }
  if (faults.strikes('outOfMemory'))
    scheduler.in(scheduler.random.scale(1, 30_000), () => kill('out of memory'));

  handler(caller).then(
    (answer) => host.alive && end({ answer }),
    (error: unknown) => {
      if (!(error instanceof Unreachable))
        ledger.violate(
          'no error of its own',
          error instanceof Error ? (error.stack ?? error.message) : String(error),
        );
      if (host.alive) end({ error });
    },
  );
}

/** The provider of functions that never ask the model. */
export const noModel: Ports['provider'] = {
  complete: async () => ({
    kind: 'failed',
    failure: { kind: 'fatal', code: 'no_provider', message: 'none' },
  }),
};
