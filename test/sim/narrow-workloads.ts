import { folding } from './small-windows.ts';
import type { Draw } from './workloads.ts';

/** Workloads for what the others hardly ever meet, most of them with a hunt (`hunts/`) that finds what it seeks. */
export const narrowWorkloads = {
  /** Batches about a few files: what shares none runs side by side, while workers die and fall silent. */
  files: (random) => ({
    files: random.chance(0.7),
    leaseMs: 25_000,
    messages: random.between(1, 3),
    toolRate: 0.9,
    batch: 9,
    tools: random.pick([
      ['edit', 'view'],
      ['edit', 'edit', 'view', 'pay', 'look'],
      ['edit', 'put', 'send'],
    ]),
    cancels: random.pick([0, 0, 1]),
    emphasis: ['slowTool', 'throwingTool', 'killAfter', 'freeze'],
  }),
  /** Calls that read and change the same few files, in steps and from the queue, while their workers die. */
  edits: (random) => ({
    files: true,
    leaseMs: 25_000,
    messages: random.between(2, 5),
    apartMs: random.pick([2_000, 20_000]),
    toolRate: 0.85,
    batch: 5,
    tools: random.pick([
      ['put', 'pay', 'look'],
      ['put', 'send', 'fetch', 'look'],
      ['put', 'ship', 'send'],
      ['put', 'wire', 'haul', 'look'],
    ]),
    pieceMs: random.pick([20, 300]),
    decisions: 6,
    cancels: random.pick([0, 0, 0, 1]),
    clients: 0,
    emphasis: [
      'killAfter',
      'killBefore',
      'late',
      'lostAnswer',
      'throwingTool',
      'slowTool',
      'freeze',
      'redelivered',
    ],
    hunts: [
      'zombie',
      'twoReplies',
      'silentEnd',
      'halfDone',
      'lateTwins',
      'lateBegin',
      'frozenWorker',
      'orphan',
      'stopCommit',
    ],
  }),
  /** Owners that are taken for dead, and are not. */
  takeover: (random) => ({
    leaseMs: 25_000,
    deadlineMs: random.pick([120_000, 300_000]),
    workers: 3,
    messages: random.between(1, 2),
    toolRate: 0.8,
    batch: 6,
    tools: ['put', 'pay', 'pay', 'look'],
    pieces: random.between(1, 8),
    pieceMs: random.pick([300, 3_000]),
    emphasis: ['slowTool'],
    hunts: ['zombie', 'lateFence'],
  }),
  /** Slots and frames that land when nobody waits for them any more. */
  orphans: (random) => ({
    leaseMs: 25_000,
    workers: 2,
    // A reply that lands late may be of a run that is over, where nothing was written in its place.
    patient: random.chance(0.5),
    messages: random.between(2, 5),
    apartMs: random.pick([2_000, 60_000]),
    toolRate: 0.7,
    tools: ['put', 'look'],
    emphasis: ['strayWake'],
    // Who reads in the middle of two takeovers may take the wrong line (docs/promises.md).
    clients: 0,
    hunts: ['orphan', 'twoReplies', 'lateTwins', 'lateClaim', 'lateLogs'],
  }),
  /** Batches that wait, while owners die or fall silent around their replies and commits. */
  parked: (random) => ({
    leaseMs: 25_000,
    workers: 2,
    messages: random.between(2, 5),
    apartMs: random.pick([2_000, 60_000]),
    toolRate: 0.8,
    tools: random.pick([
      ['fetch', 'look', 'ship'],
      ['wire', 'ask_user', 'look', 'fetch'],
    ]),
    decisions: 6,
    cancels: random.pick([0, 0, 2]),
    clients: 0,
    hunts: [
      'twoReplies',
      'silentEnd',
      'gap',
      'zombie',
      'lateBegin',
      'deadCall',
      'lostLast',
      'frozenWorker',
      'stopCommit',
    ],
    emphasis: ['slowTool'],
  }),
  /** Clients that stay, while owners die before they have told them all. */
  watched: () => ({ toolRate: 0.2, clients: 2, stayMs: 1_000_000, hunts: ['silentEnd'] }),
  /** Clients that stay, while nobody may be left who tells them how a run has ended. */
  unheard: (random) => ({
    messages: random.between(1, 3),
    toolRate: 0.2,
    pieceMs: random.pick([20, 300]),
    clients: 2,
    stayMs: 1_000_000,
    wrapUps: random.between(1, 3),
    replays: 1,
    hunts: ['unheard'],
  }),
  /** Batches that take all the time of their step, whose owners die before they can say so. */
  hurried: (random) => ({
    leaseMs: 25_000,
    deadlineMs: 40_000,
    messages: random.between(1, 2),
    toolRate: 0.8,
    batch: 6,
    tools: random.pick([
      ['put', 'pay', 'look'],
      ['put', 'pay', 'fetch'],
    ]),
    pieceMs: 20,
    clients: 0,
    emphasis: ['slowTool', 'hungTool'],
    hunts: ['halfDone'],
  }),
  /** Replays that come in the middle of everything. */
  gaps: (random) => ({
    messages: random.between(4, 10),
    apartMs: random.pick([2_000, 10_000]),
    toolRate: 0.2,
    pieceMs: 20,
    replays: 1,
    emphasis: ['strayWake'],
    hunts: ['gap'],
  }),
  /** Steps that are much longer than their lease. In a fifth of the seeds nothing else goes wrong. */
  long: (random) => ({
    leaseMs: 25_000,
    deadlineMs: random.pick([40_000, 60_000, 300_000]),
    messages: random.between(1, 2),
    toolRate: 0.2,
    pieces: random.between(10, 40),
    pieceMs: 3_000,
    cancels: random.between(0, 2),
  }),
  /** Messages that become dead letters while their claims are still on their way. */
  doomed: (random) => ({
    leaseMs: 25_000,
    messages: 1,
    workers: random.between(2, 3),
    toolRate: 0.2,
    pieces: random.between(10, 20),
    pieceMs: 3_000,
    deadlineMs: 300_000,
    hunts: ['deadClaim'],
  }),
  /** Batches that are stopped in the middle. */
  stopped: (random) => ({
    toolRate: 0.9,
    batch: 8,
    tools: random.pick([
      ['put', 'put', 'pay', 'look'],
      ['edit', 'edit', 'view', 'pay'],
    ]),
    emphasis: ['slowTool'],
    hunts: ['stop'],
  }),
  /** More is said at once than one step takes. */
  heavy: (random) => ({
    messages: random.between(4, 8),
    letters: random.pick([60_000, 100_000, 260_000]),
    apartMs: 2_000,
    toolRate: random.pick([0, 0.3]),
    pieceMs: random.pick([20, 3_000]),
    cancels: random.pick([0, 0, 1]),
    replays: 0.3,
    clients: 0,
    emphasis: ['killAfter', 'late', 'lostAnswer', 'strayWake'],
  }),
  /** More comes at once than an inbox takes, from senders who send nothing twice. */
  overflow: (random) => ({
    messages: random.between(4, 12),
    maxInbox: random.between(1, 3),
    apartMs: random.pick([200, 2_000]),
    toolRate: random.pick([0, 0.3]),
    tools: random.pick([
      ['look', 'put', 'pay'],
      ['look', 'fetch', 'wire', 'ask_user'],
    ]),
    decisions: 4,
    pieceMs: random.pick([20, 3_000]),
    cancels: random.pick([0, 0, 1]),
    replays: random.pick([0, 0.3, 1]),
    clients: random.between(0, 1),
    emphasis: ['killAfter', 'late', 'lostAnswer', 'strayWake'],
    hunts: ['gap', 'zombie'],
  }),
  /** Runs that come to every end that a server's answers can lead to, while nothing goes wrong. */
  scripted: (random) => ({
    scripted: true,
    messages: random.between(1, 5),
    apartMs: random.pick([1_000, 20_000]),
    toolRate: random.pick([0.4, 0.7, 0.95]),
    tools: random.pick([
      ['look', 'put', 'pay'],
      ['put', 'fetch', 'send'],
    ]),
    batch: 4,
    wrapUps: random.pick([0, 0, 1]),
    parentCancels: random.pick([0, 0, 1]),
    cancels: random.pick([0, 0, 1]),
  }),
  /** Runs that are asked to wrap up, or whose parent is cancelled. */
  asked: (random) => ({
    messages: random.between(1, 4),
    apartMs: random.pick([3_000, 20_000]),
    toolRate: 0.85,
    tools: random.pick([
      ['look', 'put', 'pay'],
      ['look', 'fetch', 'wire', 'ask_user'],
    ]),
    pieceMs: random.pick([20, 2_000]),
    decisions: 3,
    wrapUps: random.between(1, 3),
    parentCancels: random.pick([0, 0, 1, 2]),
    cancels: random.pick([0, 0, 0, 1]),
    emphasis: ['killAfter', 'late', 'truncated', 'strayWake'],
    hunts: ['twoReplies', 'silentEnd'],
  }),
  /** Sessions that begin with a listing, around which their owners die. */
  listing: (random) => ({
    leaseMs: 25_000,
    listing: true,
    sessions: random.between(1, 3),
    messages: random.between(1, 3),
    apartMs: random.pick([2_000, 60_000]),
    toolRate: 0.7,
    tools: ['src__peek', 'src__give', 'src__mail', 'look'],
    deploys: random.chance(0.3),
    cancels: random.pick([0, 0, 1]),
    hunts: ['twoReplies', 'silentEnd', 'zombie'],
    emphasis: ['killAfter', 'killBefore', 'late', 'freeze', 'lostAnswer', 'overloaded'],
  }),
  /** Contexts that fill in a few steps, and are made smaller again and again, while anything goes wrong. */
  folding: (random) => ({
    ...folding(random),
    hunts: ['foldEnd', 'foldEnd', 'lostAsk', 'twoReplies', 'silentEnd', 'zombie', 'lateTwins'],
    cancels: random.pick([0, 0, 1, 2]),
    emphasis: ['oversize', 'killAfter', 'late', 'lostAnswer', 'strayWake', 'truncated', 'emptyReply'],
    // Who stops it in the middle needs some time.
    ...(random.chance(0.25) && { hunts: ['foldStop'], pieces: 4, pieceMs: 3_000 }),
  }),
  /** The same while nothing goes wrong but what the model's server answers. */
  folded: (random) => ({ ...folding(random), scripted: true, wrapUps: random.pick([0, 0, 1]) }),
  /** Slots are packed every few steps, and folded at times, also by workers who know nothing of either. */
  packed: (random) => ({
    ...folding(random),
    ...(random.chance(0.4) && { context: undefined }),
    packAbove: random.pick([300, 1_000, 4_000]),
    older: random.pick([0, 0, 0.3]),
    hunts: ['packEnd', 'lostAsk', 'twoReplies', 'zombie', 'lateClaim', 'orphan'],
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'staleRead', 'oversize', 'strayWake'],
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
