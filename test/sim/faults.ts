import type { Random } from './random.ts';

/**
 * The faults of the platform, numbered by what the simulator does. A seed draws for each fault whether it is active and
 * how likely it is ("swizzle"), so many seeds have only a few.
 */
const kinds = {
  /** 1 the host dies before a call reaches its service / after it was applied. */
  killBefore: [0.0005, 0.02],
  killAfter: [0.0005, 0.02],
  /** 1, 3: a host dies right after it has sent a request, which lands late. */
  lastWords: [0.001, 0.05],
  /** 9: one operation fails much more often than others (a hot partition, a missing permission). */
  hotOperation: [0.2, 0.9],
  /** 9: a request never arrives; the SDK sends it again. */
  lostRequest: [0.002, 0.2],
  /** 2: a request is applied and its response lost; the SDK sends it again. */
  lostAnswer: [0.002, 0.2],
  /** 3: a request lands late, after the SDK has given it up and perhaps after a takeover. */
  late: [0.001, 0.1],
  /** 9, 10: a call takes seconds. */
  slow: [0.002, 0.1],
  /** 9: the store refuses everything for a while. Probability per minute. */
  outage: [0.02, 0.5],
  /** 4, 6: a message is received again although a worker still has it, or finished with it hours ago. */
  redelivered: [0.01, 0.4],
  ghost: [0.01, 0.2],
  /** 5: another wake with another id. */
  strayWake: [0.01, 0.3],
  /** 7: a host freezes beyond its lease, and then continues. Per call. */
  freeze: [0.0005, 0.03],
  /** 8: clocks of hosts differ by up to 10 s. 1 or 0. */
  skew: [1, 1],
  /** 11: an eventual read is answered with an earlier state. In the core, only the sweeper's index is read so. */
  staleRead: [0.1, 0.9],
  /** 12 429, 13 529, 14 broken and stalled streams, 15 and 16 odd stops, 17 and others that are fatal. */
  rateLimited: [0.01, 0.3],
  rateLimitedLong: [0.01, 0.2],
  overloaded: [0.01, 0.4],
  brokenStream: [0.01, 0.3],
  stalled: [0.005, 0.1],
  truncated: [0.01, 0.3],
  refusal: [0.01, 0.1],
  unknownStop: [0.01, 0.1],
  paused: [0.01, 0.2],
  emptyReply: [0.01, 0.1],
  fatal: [0.005, 0.05],
  /** 18: the environment does not start, or runs out of memory while it works. Per invocation. */
  noInit: [0.01, 0.3],
  outOfMemory: [0.01, 0.2],
  /** 18, 25: tools that are slow, never end, throw, or return too much. Per call. */
  slowTool: [0.02, 0.5],
  hungTool: [0.01, 0.2],
  throwingTool: [0.02, 0.3],
  oversize: [0.02, 0.5],
  /** 23: a connection is gone or slow, or a push is lost or fails. Per push. */
  gone: [0.005, 0.1],
  slowSocket: [0.005, 0.1],
  failedPush: [0.005, 0.1],
  lostPush: [0.005, 0.2],
  latePush: [0.01, 0.3],
  /** 24: all wakes are purged. Probability per minute. */
  purge: [0.01, 0.2],
} as const satisfies Record<string, readonly [from: number, to: number]>;

export type FaultKind = keyof typeof kinds;
export type FaultProfile = Readonly<Record<FaultKind, number>>;

/** The probabilities of a seed, and a count of the faults that happened. */
export interface Faults {
  readonly profile: FaultProfile;
  /** The operation that `hotOperation` affects. */
  readonly hot: string;
  /** Whether the fault happens now. It is counted if it does. */
  strikes(kind: FaultKind): boolean;
  /** Counts a fault that was made on purpose. */
  note(): void;
  /** Ends all faults. */
  stop(): void;
  readonly stopped: boolean;
  readonly count: number;
}

/** The operations of which one is hot in a seed. */
const hotOperations = [
  'inbox.markDone',
  'log.append',
  'putResult',
  'watch',
  'extend',
  'queue.hide',
  'claim',
  'budgets.hold',
  'budgets.move',
  'commit',
];

const kindNames = Object.keys(kinds) as FaultKind[];

/**
 *
 * @param emphasis faults that are active in most seeds of a workload
 * @param calm whether nothing goes wrong
 */
export function createFaults(random: Random, emphasis: readonly FaultKind[], calm: boolean): Faults {
  const share = calm ? 0 : random.pick([0, 0.1, 0.25, 0.5, 0.9]);
  const drawn = kindNames.map((kind) => {
    const [from, to] = kinds[kind];
    const likely = emphasis.includes(kind) ? Math.max(share, 0.7) : share;
    return [kind, random.chance(likely) ? random.scale(from, to) : 0] as const;
  });
  const profile = Object.fromEntries(drawn) as Record<FaultKind, number>;
  const hot = random.pick(hotOperations);
  let count = 0;
  let stopped = false;
  return {
    profile,
    hot,
    strikes(kind) {
      const strikes = !stopped && random.chance(profile[kind]);
      if (strikes) count += 1;
      return strikes;
    },
    note() {
      count += 1;
    },
    stop() {
      stopped = true;
    },
    get stopped() {
      return stopped;
    },
    get count() {
      return count;
    },
  };
}

/** The active faults, for people: `lostAnswer=0.021 freeze=0.003`. */
export const describeFaults = ({ profile, hot }: Faults): string =>
  kindNames
    .filter((kind) => profile[kind] > 0)
    .map(
      (kind) => `${kind === 'hotOperation' ? `hotOperation(${hot})` : kind}=${profile[kind].toPrecision(2)}`,
    )
    .join(' ') || 'none';
