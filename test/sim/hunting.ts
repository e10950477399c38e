import type { Draw } from './workloads.ts';

/** Workloads in which a hunt (`hunts.ts`) finds what it seeks. */
export const huntingWorkloads = {
  /** Owners that are taken for dead, and are not. */
  takeover: (random) => ({
    leaseMs: 25_000,
    deadlineMs: random.pick([120_000, 300_000]),
    workers: 3,
    messages: random.between(1, 2),
    toolRate: 0.8,
    batch: 6,
    tools: ['put', 'pay', 'pay', 'look'],
    emphasis: ['slowTool'],
    hunts: ['zombie', 'lateFence'],
  }),
  /** Slots that land when nobody waits for them any more. */
  orphans: (random) => ({
    leaseMs: 25_000,
    workers: 2,
    messages: random.between(2, 5),
    apartMs: 60_000,
    toolRate: 0.7,
    tools: ['put', 'look'],
    hunts: ['orphan', 'twoReplies', 'lateTwins'],
  }),
  /** Runs whose end nobody was told. */
  watched: () => ({ toolRate: 0.2, clients: 2, stayMs: 1_000_000, hunts: ['silentEnd'] }),
  /** Replays that come in the middle of everything. */
  gaps: (random) => ({
    messages: random.between(4, 10),
    apartMs: random.pick([2_000, 10_000]),
    toolRate: 0.2,
    pieceMs: 20,
    replays: 1,
    hunts: ['gap'],
  }),
  /** Runs that wait long, and are cancelled. */
  waiting: (random) => ({
    messages: random.between(1, 3),
    apartMs: 120_000,
    cancels: random.between(2, 6),
    toolRate: 0.3,
    modelDownMs: random.pick([0, 60_000]),
    emphasis: ['rateLimited', 'rateLimitedLong'],
  }),
} as const satisfies Record<string, Draw>;
