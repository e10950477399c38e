import type { Faults } from './faults.ts';
import type { Host } from './host.ts';
import type { Scheduler } from './scheduler.ts';

/** One invocation of one function on a host: the caller of a port. */
export interface Caller {
  /** Unique; the core uses it as the invocation's id. */
  readonly id: string;
  readonly host: Host;
  /** Set when its handler has returned. No new call may follow. */
  over: boolean;
}

/** A service could not be reached, in as many attempts as the SDK makes. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/**
 * The network between hosts and services: each call is a request and a response, either of which may be lost or late.
 */
export interface Network {
  /** Calls a service as the AWS SDK does: the same request up to three times. `apply` runs at the service. */
  call<T>(caller: Caller, operation: string, apply: () => Promise<T>): Promise<T>;
  /** Starts a time span in which the store answers nothing. */
  breakStore(ms: number): void;
  /** Runs an action later. Until then it counts as in flight. */
  fly(ms: number, action: () => void): void;
  /** Number of requests that have not arrived yet, and of responses on their way. */
  readonly inFlight: number;
  /** Calls made so far. */
  readonly calls: number;
  /** Called for each call to get its fate. Without an order it is left to chance. */
  onCall(ask: (caller: Caller, operation: string) => Order | undefined): void;
  /** Called for a call that is made after its invocation was over. */
  onLeak(tell: (caller: Caller, operation: string) => void): void;
}

/** The deliberate fate of one call (`nemesis.ts`). */
export type Order =
  /** The host dies before it calls, or right after the service has done the work. */
  | { readonly kind: 'die'; readonly when: 'before' | 'after' }
  /** The host freezes before it calls, or right after, so that the response waits for it. */
  | { readonly kind: 'freeze'; readonly ms: number; readonly when?: 'after' }
  /** It arrives this much later (than the end of `after`, if given), and is answered. */
  | { readonly kind: 'delay'; readonly ms: number; readonly after?: Promise<void> }
  /** It lands when `until` resolves. Its host dies meanwhile, or gives up this attempt and makes another. */
  | { readonly kind: 'hold'; readonly until: Promise<void>; readonly dies: boolean }
  /** All attempts fail. */
  | { readonly kind: 'refuse' };

/** Attempts of one call (`shared/aws/clients.ts`), and the timeout of each, in ms. */
const TRIES = 3;
const PATIENCE_MS = 3_000;

type Fate = 'ok' | 'slow' | 'lost_request' | 'lost_answer' | 'late' | 'last_words';

export function createNetwork(scheduler: Scheduler, faults: Faults): Network {
  const { random, trace } = scheduler;
  let inFlight = 0;
  let calls = 0;
  let brokenUntil = 0;
  let leak: (caller: Caller, operation: string) => void = () => {};
  let orderFor: (caller: Caller, operation: string) => Order | undefined = () => undefined;

  /** Runs `action` later. Until then it counts as in flight. */
  const fly = (ms: number, action: () => void) => {
    inFlight += 1;
    scheduler.in(ms, () => {
      inFlight -= 1;
      action();
    });
  };
  const latency = () => random.between(1, 20);

  const fateOf = (operation: string): Fate => {
    if (scheduler.now < brokenUntil && !faults.stopped && !operation.startsWith('queue'))
      return 'lost_request';
    if (operation === faults.hot && faults.strikes('hotOperation')) return 'lost_request';
    if (faults.strikes('lostRequest')) return 'lost_request';
    if (faults.strikes('lostAnswer')) return 'lost_answer';
    if (faults.strikes('late')) return 'late';
    if (faults.strikes('slow')) return 'slow';
    return 'ok';
  };

  function tryCall<T>(
    caller: Caller,
    operation: string,
    apply: () => Promise<T>,
    done: PromiseWithResolvers<T>,
    tries: number,
  ): void {
    const { host } = caller;
    const fate: Fate = faults.strikes('lastWords') ? 'last_words' : fateOf(operation);
    if (fate !== 'ok') trace.say(caller.id, operation, fate, tries);
    const tryAgain = (ms: number) =>
      fly(ms, () =>
        host.deliver(() => {
          if (tries < TRIES) {
            tryCall(caller, operation, apply, done, tries + 1);
            return;
          }
          trace.say(caller.id, operation, 'gave up');
          done.reject(new Unreachable(operation));
        }),
      );

    if (fate === 'lost_request') {
      tryAgain(random.chance(0.5) ? latency() : PATIENCE_MS);
      return;
    }
    const arrives =
      fate === 'late' || fate === 'last_words'
        ? random.scale(fate === 'late' ? PATIENCE_MS : 100, 200_000)
        : latency();
    const answered = fate === 'ok' || fate === 'slow';
    fly(arrives, () => {
      apply().then(
        (value) => {
          if (!answered) return;
          fly(fate === 'slow' ? random.between(100, PATIENCE_MS - 100) : latency(), () =>
            host.deliver(() => done.resolve(value)),
          );
        },
        (error: unknown) => {
          if (answered) fly(latency(), () => host.deliver(() => done.reject(error)));
        },
      );
      if (faults.strikes('killAfter')) {
        trace.say(host.name, 'killed', `after ${operation}`);
        host.kill();
      }
    });
    if (fate === 'last_words') host.kill();
    else if (!answered) tryAgain(PATIENCE_MS + latency());
    else if (faults.strikes('freeze'))
      freezeFor(
        host,
        random.chance(0.5) ? random.scale(100, 20_000) : random.between(20_000, 150_000),
        operation,
      );
  }

  /** Makes a call as ordered, not as chance would have it. */
  function obey<T>(
    caller: Caller,
    operation: string,
    apply: () => Promise<T>,
    done: PromiseWithResolvers<T>,
    order: Order,
  ): void {
    const { host } = caller;
    const answer = (tell: () => void) => fly(latency(), () => host.deliver(tell));
    const land = () =>
      apply().then(
        (value) => answer(() => done.resolve(value)),
        (error: unknown) => answer(() => done.reject(error)),
      );
    switch (order.kind) {
      case 'refuse':
        answer(() => done.reject(new Unreachable(operation)));
        break;
      case 'delay':
        inFlight += 1;
        void Promise.resolve(order.after).then(() => {
          inFlight -= 1;
          fly(order.ms, () => void land());
        });
        break;
      case 'die':
        fly(latency(), () => {
          void apply().catch(() => {});
          host.kill();
        });
        break;
      case 'hold':
        inFlight += 1;
        void order.until.then(() => {
          inFlight -= 1;
          fly(random.scale(1, 300), () => void apply().catch(() => {}));
        });
        if (order.dies) host.kill();
        else fly(PATIENCE_MS, () => host.deliver(() => tryCall(caller, operation, apply, done, 2)));
        break;
      case 'freeze':
        tryCall(caller, operation, apply, done, 1);
        if (order.when === 'after') freezeFor(host, order.ms, operation);
        break;
      default:
        order satisfies never;
    }
  }

  function freezeFor(host: Host, ms: number, operation: string): void {
    trace.say(host.name, 'stands still', `${(ms / 1000).toFixed(1)} s`, operation);
    host.freeze();
    scheduler.in(ms, () => host.thaw());
  }

  return {
    call<T>(caller: Caller, operation: string, apply: () => Promise<T>) {
      const done = Promise.withResolvers<T>();
      const { host } = caller;
      if (!host.alive) return done.promise;
      calls += 1;
      if (caller.over) leak(caller, operation);
      const order = orderFor(caller, operation);
      if (order) trace.say('nemesis', order.kind, caller.id, operation);
      if ((order?.kind === 'die' && order.when === 'before') || faults.strikes('killBefore')) {
        trace.say(host.name, 'killed', `before ${operation}`);
        host.kill();
        return done.promise;
      }
      if (order?.kind === 'freeze' && !order.when) freezeFor(host, order.ms, operation);
      host.deliver(() =>
        order ? obey(caller, operation, apply, done, order) : tryCall(caller, operation, apply, done, 1),
      );
      return done.promise;
    },
    fly,
    breakStore(ms) {
      brokenUntil = scheduler.now + ms;
    },
    get inFlight() {
      return inFlight;
    },
    get calls() {
      return calls;
    },
    onCall(ask) {
      orderFor = ask;
    },
    onLeak(tell) {
      leak = tell;
    },
  };
}
