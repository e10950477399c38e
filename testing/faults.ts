import type { Ports } from '../shared/agent/ports/ports.ts';

/** A worker on which one invocation runs: it can be frozen and thawed, as Lambda does, or killed. */
export interface Host {
  /** Whether its code runs. */
  readonly running: boolean;
  /** From now on its pending waits do not resolve, and its calls do not happen. */
  freeze(): void;
  /** Its pending waits resolve now, unless it was killed. */
  thaw(): void;
  /** Freezes it for ever. Never resolves, so that `return host.kill()` stops the calling code. */
  kill(): Promise<never>;
  /** Resolves while the host runs. */
  awake(): Promise<void>;
}

type Faulty = Omit<Ports, 'clock' | 'ids' | 'config' | 'resources'>;
/** One operation of one port, for instance `sessions.commit`. */
export type Operation = { [P in keyof Faulty & string]: `${P}.${keyof Faulty[P] & string}` }[keyof Faulty &
  string];

/** The fate of one call of an operation. `proceed` carries it out. */
export type Fault = (
  proceed: () => Promise<unknown>,
  host: Host,
  args: readonly unknown[],
) => Promise<unknown>;

export interface Faults {
  /** Applies `fault` to the next call of `operation`, or the nth from now. */
  at(operation: Operation, fault: Fault, nth?: number): void;
  /** Applies `fault` to the nth call of any operation from now, including those of `around`. */
  atAny(fault: Fault, nth: number): void;
  /** Number of operations called. */
  total(): number;
  /** Counts another action of a host as an operation of that name. */
  around<T>(name: string, proceed: () => Promise<T>): Promise<T>;
  /** Number of calls of an operation. */
  count(operation: Operation): number;
  /** The ports as a new host sees them. */
  host(ports: Ports): { host: Host; ports: Ports };
  /** The host that started last. */
  readonly latest: Host;
}

/** A service that could not be reached: the step rejects, and its message comes back. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

export const killBefore: Fault = (_proceed, host) => host.kill();
export const killAfter: Fault = async (proceed, host) => {
  await proceed();
  return host.kill();
};
export const failBefore: Fault = async () => {
  throw new Unreachable('the request never arrived');
};
export const failAfter: Fault = async (proceed) => {
  await proceed();
  throw new Unreachable('the request was applied and its answer lost');
};
export const freezeBefore: Fault = async (proceed, host) => {
  host.freeze();
  await host.awake();
  return proceed();
};
export const freezeAfter: Fault = async (proceed, host) => {
  const answer = await proceed();
  host.freeze();
  return answer;
};
/** Runs something else just before the call. */
export const justBefore =
  (happens: () => Promise<unknown>): Fault =>
  async (proceed) => {
    await happens();
    return proceed();
  };

export function faults(): Faults {
  const planned: { operation: Operation; fault: Fault; left: number }[] = [];
  const counts = new Map<string, number>();
  let latest: Host = createHost();
  let total = 0;
  let any: { fault: Fault; at: number } | undefined;

  const befalling = (operation: string): Fault | undefined => {
    const waiting = planned.filter((plan) => plan.operation === operation);
    for (const plan of waiting) plan.left -= 1;
    const due = waiting.find(({ left }) => left === 0);
    if (due) planned.splice(planned.indexOf(due), 1);
    return due?.fault;
  };

  const call = async (
    host: Host,
    operation: string,
    args: readonly unknown[],
    proceed: () => Promise<unknown>,
  ) => {
    await host.awake();
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    total += 1;
    const fault = total === any?.at ? any.fault : befalling(operation);
    try {
      return await (fault ? fault(proceed, host, args) : proceed());
    } finally {
      await host.awake();
    }
  };

  return {
    at: (operation, fault, nth = 1) => void planned.push({ operation, fault, left: nth }),
    atAny(fault, nth) {
      any = { fault, at: total + nth };
    },
    total: () => total,
    around: async <T>(name: string, proceed: () => Promise<T>) =>
      (await call(latest, name, [], proceed)) as T,
    count: (operation) => counts.get(operation) ?? 0,
    get latest() {
      return latest;
    },
    host(ports) {
      const host = createHost();
      latest = host;
      const on = <T extends object>(name: keyof Faulty, port: T): T =>
        intercept(port, (member, args, proceed) => call(host, `${name}.${member}`, args, proceed));
      return {
        host,
        ports: {
          ...ports,
          clock: {
            now: () => ports.clock.now(),
            sleep: (ms, signal) => ports.clock.sleep(ms, signal).then(() => host.awake()),
          },
          sessions: on('sessions', ports.sessions),
          inbox: on('inbox', ports.inbox),
          log: on('log', ports.log),
          egress: on('egress', ports.egress),
          blobs: on('blobs', ports.blobs),
          memories: on('memories', ports.memories),
          schedules: on('schedules', ports.schedules),
          queue: on('queue', ports.queue),
          sockets: on('sockets', ports.sockets),
          provider: on('provider', ports.provider),
          budgets: on('budgets', ports.budgets),
          later: { ...on('later', ports.later), urlOf: ports.later.urlOf },
        },
      };
    },
  };
}

function createHost(): Host {
  let frozen: PromiseWithResolvers<void> | undefined;
  let dead = false;
  const host: Host = {
    get running() {
      return frozen === undefined;
    },
    freeze() {
      frozen ??= Promise.withResolvers<void>();
    },
    thaw() {
      if (dead) return;
      frozen?.resolve();
      frozen = undefined;
    },
    kill() {
      dead = true;
      host.freeze();
      return new Promise<never>(() => {});
    },
    async awake() {
      while (frozen) await frozen.promise;
    },
  };
  return host;
}

type Call = (member: string, args: readonly unknown[], proceed: () => Promise<unknown>) => Promise<unknown>;

/** Wraps `port` so that `call` surrounds each of its operations. */
function intercept<T extends object>(port: T, call: Call): T {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) =>
        call(String(property), args, async () => Reflect.apply(member, target, args));
    },
  });
}
