import { folding } from './small-windows.ts';
import type { Draw, Lanes } from './workloads.ts';

/** The number of step queues that are sent to, and of those that are consumed. */
const lanes = (sends: number, consumes = sends): Lanes => ({ sends, consumes });

/**
 * Workloads for situations that the others hardly ever reach, most of them with a hunt (`hunts/`) that finds what it
 * searches for.
 */
export const narrowWorkloads = {
  /** Agents that ask other agents, while workers die and freeze, people stop runs, and answers come too late. */
  family: (random) => ({
    family: { expiresAfterSeconds: random.pick([5, 60, 600, 7_200]) },
    messages: random.between(1, 2),
    apartMs: random.pick([5_000, 60_000]),
    workers: random.between(2, 4),
    leaseMs: 25_000,
    toolRate: random.pick([0.3, 0.5]),
    batch: random.between(1, 4),
    tools: random.pick([
      ['team', 'look'],
      ['team', 'team', 'pay', 'look'],
      ['team', 'fetch', 'send'],
      ['team', 'wire', 'ask_user'],
      ['team', 'defer', 'look'],
    ]),
    decisions: random.pick([0, 4]),
    cancels: random.pick([0, 0, 1, 2]),
    clients: random.between(0, 1),
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'redelivered', 'freeze', 'strayWake'],
  }),
  /** Trees whose sessions ask people, who have hours to decide, and decide mostly where the root was asked. */
  familyAsks: (random) => ({
    family: { expiresAfterSeconds: 20_000 },
    messages: random.between(1, 3),
    apartMs: random.pick([60_000, 3_000_000]),
    workers: random.between(2, 4),
    leaseMs: 25_000,
    toolRate: 0.8,
    batch: random.between(1, 3),
    tools: random.pick([
      ['team', 'wire'],
      ['team', 'team', 'ask_user'],
      ['team', 'wire', 'ask_user', 'fetch'],
      ['team', 'haul', 'defer'],
    ]),
    patient: true,
    decisions: random.between(6, 20),
    cancels: random.pick([0, 0, 0, 1]),
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'redelivered', 'freeze', 'strayWake'],
  }),
  /**
   * Sessions that share their beginning with others, which continue meanwhile: with files, folds and packs, and with
   * retried runs.
   */
  forks: (random) => ({
    forks: random.between(1, 4),
    retries: random.between(0, 3),
    tenants: random.between(1, 2),
    messages: random.between(1, 4),
    apartMs: random.pick([5_000, 30_000]),
    toolRate: 0.6,
    batch: 3,
    ...(random.chance(0.4) && folding(random)),
    files: random.chance(0.5),
    restores: random.pick([0, 0, 1]),
    packAbove: random.pick([200, 1_000]),
    cancels: random.pick([0, 1]),
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'redelivered', 'freeze', 'rateLimited'],
  }),
  /** Replies with blocks that their server does not accept back, while workers die and freeze. */
  odd: (random) => ({
    odd: random.pick([0.2, 0.5]),
    messages: random.between(2, 5),
    apartMs: random.pick([2_000, 20_000]),
    toolRate: 0.5,
    batch: 3,
    retries: random.pick([0, 1]),
    cancels: random.pick([0, 0, 1]),
    leaseMs: 25_000,
    emphasis: ['killAfter', 'killBefore', 'lostAnswer', 'late', 'freeze', 'refusal'],
  }),
  /** Batches about a few files: calls on different files run in parallel, while workers die and freeze. */
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
    restores: random.pick([0, 0, 2, 6]),
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
  /** Sessions that people delete while they run, rest, or get late writes from former owners. */
  deleted: (random) => ({
    deletes: random.between(1, 3),
    tenants: random.between(1, 2),
    sessions: random.between(1, 2),
    messages: random.between(1, 4),
    apartMs: random.pick([2_000, 20_000, 120_000]),
    leaseMs: 25_000,
    toolRate: random.pick([0, 0.6]),
    batch: 3,
    tools: random.pick([
      ['look', 'put', 'pay'],
      ['fetch', 'send', 'pay'],
      ['wire', 'look', 'defer'],
      ['put', 'look'],
    ]),
    decisions: random.pick([0, 4]),
    pieceMs: random.pick([20, 300]),
    cancels: random.pick([0, 1]),
    files: random.chance(0.4),
    replays: 0.2,
    clients: 0,
    emphasis: ['late', 'lastWords', 'freeze', 'killAfter', 'lostAnswer', 'redelivered', 'strayWake', 'slow'],
    hunts: ['zombie', 'orphan', 'lateTwins', 'frozenWorker'],
  }),
  /** Calls of several sessions, people and tenants that save and search memories, while their workers die. */
  remembering: (random) => ({
    known: true,
    tenants: random.between(1, 2),
    sessions: random.between(1, 2),
    leaseMs: 25_000,
    messages: random.between(1, 4),
    apartMs: random.pick([2_000, 20_000]),
    toolRate: 0.85,
    batch: 3,
    tools: random.pick([
      ['note', 'recall'],
      ['note', 'jot', 'recall', 'pay'],
    ]),
    pieceMs: random.pick([20, 300]),
    cancels: random.pick([0, 0, 1]),
    clients: 0,
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'freeze', 'redelivered', 'slowTool'],
    hunts: ['zombie', 'twoReplies', 'halfDone', 'lateTwins', 'frozenWorker', 'lateBegin'],
  }),
  /** Messages with files, next to calls that work on the same files, in a workspace that has room for few. */
  sent: (random) => ({
    files: true,
    sent: 0.7,
    ...(random.chance(0.7) && {
      room: { files: random.between(2, 4), fileBytes: 60, bytes: random.pick([60, 90, 140]) },
    }),
    leaseMs: 25_000,
    messages: random.between(2, 6),
    apartMs: random.pick([500, 2_000, 20_000]),
    toolRate: random.pick([0.3, 0.8]),
    batch: 4,
    tools: random.pick([
      ['put', 'look'],
      ['put', 'pay', 'send', 'look'],
      ['edit', 'view', 'put'],
    ]),
    pieceMs: random.pick([20, 300]),
    replays: 0.4,
    restores: random.pick([0, 0, 3]),
    cancels: random.pick([0, 0, 1]),
    clients: random.between(0, 1),
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'freeze', 'redelivered'],
    hunts: ['zombie', 'twoReplies', 'silentEnd', 'halfDone', 'lateTwins', 'orphan', 'gap', 'lateClaim'],
  }),
  /** Calls that are answered later, from outside, and calls that ask people in the middle. */
  callbacks: (random) => ({
    leaseMs: 25_000,
    messages: random.between(2, 4),
    apartMs: random.pick([2_000, 60_000]),
    toolRate: 0.85,
    batch: 4,
    tools: random.pick([
      ['defer', 'look'],
      ['defer', 'relay', 'put'],
      ['defer', 'relay', 'quiz', 'fetch'],
      ['quiz', 'wire', 'defer'],
      ['quiz', 'poll', 'relay'],
    ]),
    pieceMs: random.pick([20, 300]),
    // Some calls ask three times.
    decisions: random.pick([8, 24]),
    cancels: random.pick([0, 0, 1, 2]),
    clients: random.between(0, 1),
    emphasis: [
      'killAfter',
      'killBefore',
      'late',
      'lostAnswer',
      'slowTool',
      'freeze',
      'redelivered',
      'strayWake',
    ],
    hunts: [
      'zombie',
      'twoReplies',
      'silentEnd',
      'halfDone',
      'lateTwins',
      'lateBegin',
      'frozenWorker',
      'stopCommit',
      'gap',
    ],
  }),
  /** Calls that report progress, from their step, from the queue and from outside, while clients come and go. */
  progress: (random) => ({
    tells: true,
    leaseMs: 25_000,
    messages: random.between(1, 3),
    apartMs: random.pick([2_000, 60_000]),
    toolRate: 0.85,
    batch: 3,
    tools: random.pick([['fetch', 'send', 'look'], ['defer', 'relay', 'fetch'], ['relay'], ['defer']]),
    cancels: random.pick([0, 0, 1]),
    clients: random.between(1, 2),
    stayMs: random.pick([20_000, 1_000_000]),
    emphasis: [
      'slowTool',
      'killAfter',
      'killBefore',
      'late',
      'lostAnswer',
      'redelivered',
      'freeze',
      'strayWake',
    ],
  }),
  /** Owners that are wrongly taken for dead. */
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
  /** Slots and frames that land too late. */
  orphans: (random) => ({
    leaseMs: 25_000,
    workers: 2,
    // A reply that lands late may belong to a run that is over, if nothing was written in its place.
    patient: random.chance(0.5),
    messages: random.between(2, 5),
    apartMs: random.pick([2_000, 60_000]),
    toolRate: 0.7,
    tools: ['put', 'look'],
    emphasis: ['strayWake'],
    // A client that reads in the middle of two takeovers may follow the wrong line (docs/promises.md).
    clients: 0,
    hunts: ['orphan', 'twoReplies', 'lateTwins', 'lateClaim', 'lateLogs'],
  }),
  /** Batches that wait, while owners die or freeze around their replies and commits. */
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
  /** Clients that stay, while owners die before they have sent them everything. */
  watched: () => ({ toolRate: 0.2, clients: 2, stayMs: 1_000_000, hunts: ['silentEnd'] }),
  /** Clients that stay, while no process may be left to tell them how a run has ended. */
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
  /** Batches that take all the time of their step, whose owners die before they can report. */
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
  /** Replays that arrive in the middle of everything. */
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
    hunts: ['stop', 'standsStill'],
  }),
  /** More messages at once than one step takes. */
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
  /** More events at once than an inbox takes, from senders that send nothing twice. */
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
  /** Runs that reach every end that a server's answers can lead to, without faults. */
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
  /** Short runs, of which a first write lands when its repetition has long been read. */
  lateWrites: (random) => ({
    messages: random.between(1, 3),
    apartMs: random.pick([3_000, 60_000]),
    toolRate: random.pick([0.5, 0.8]),
    tools: ['look', 'put'],
    pieces: 1,
    pieceMs: 20,
    cancels: random.pick([0, 0, 1]),
    emphasis: ['late', 'lostAnswer'],
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
  /** Sessions that begin with skills of one deploy and continue under another, around whose first replies owners die. */
  skills: (random) => ({
    leaseMs: 25_000,
    skills: true,
    listing: random.chance(0.3),
    sessions: random.between(1, 3),
    messages: random.between(1, 3),
    apartMs: random.pick([2_000, 60_000]),
    toolRate: 0.7,
    tools: ['look', 'put', 'fetch', 'send'],
    deploys: true,
    clients: 0,
    cancels: random.pick([0, 0, 1]),
    hunts: ['twoReplies', 'silentEnd', 'zombie'],
    emphasis: ['killAfter', 'killBefore', 'late', 'freeze', 'lostAnswer', 'overloaded'],
  }),
  /** Contexts that fill within a few steps and are made smaller again and again, under any fault. */
  folding: (random) => ({
    ...folding(random),
    hunts: ['foldEnd', 'foldEnd', 'lostAsk', 'twoReplies', 'silentEnd', 'zombie', 'lateTwins'],
    cancels: random.pick([0, 0, 1, 2]),
    emphasis: ['oversize', 'killAfter', 'late', 'lostAnswer', 'strayWake', 'truncated', 'emptyReply'],
    // A stop in the middle needs some time.
    ...(random.chance(0.25) && { hunts: ['foldStop'], pieces: 4, pieceMs: 3_000 }),
  }),
  /** The same without faults, except in the answers of the model's server. */
  folded: (random) => ({ ...folding(random), scripted: true, wrapUps: random.pick([0, 0, 1]) }),
  /** Messages that their senders take back, before and after a step has read them. */
  withdrawing: (random) => ({
    withdraws: 0.6,
    messages: random.between(3, 8),
    apartMs: random.pick([1_000, 10_000]),
    toolRate: random.pick([0.2, 0.6]),
    tools: random.pick([
      ['look', 'put', 'pay'],
      ['ask_user', 'look'],
    ]),
    decisions: random.pick([0, 4]),
    leaseMs: 25_000,
    cancels: random.pick([0, 0, 1]),
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'freeze'],
  }),
  /** Runs that a model finds stuck, or not, every few steps. */
  assessing: (random) => ({
    assesses: 2,
    toolRate: 0.9,
    messages: random.between(1, 5),
    apartMs: random.pick([2_000, 20_000]),
    cancels: random.pick([0, 0, 1]),
    leaseMs: 25_000,
    hunts: ['twoReplies', 'silentEnd', 'zombie'],
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'freeze', 'brokenStream'],
  }),
  /** Slots are packed every few steps, and folded at times, also by workers that know neither. */
  packed: (random) => ({
    ...folding(random),
    ...(random.chance(0.4) && { context: undefined }),
    packAbove: random.pick([300, 1_000, 4_000]),
    older: random.pick([0, 0, 0.3]),
    hunts: ['packEnd', 'lostAsk', 'twoReplies', 'zombie', 'lateClaim', 'orphan'],
    emphasis: ['killAfter', 'killBefore', 'late', 'lostAnswer', 'staleRead', 'oversize', 'strayWake'],
  }),
  /**
   * Runs that must answer with an object, and are sent back, truncated, adopted, cancelled and deployed over on the
   * way.
   */
  answering: (random) => ({
    answers: true,
    leaseMs: 25_000,
    messages: random.between(1, 5),
    apartMs: random.pick([1_000, 5_000, 60_000]),
    toolRate: random.pick([0, 0.4]),
    replays: random.pick([0, 0.5]),
    deploys: random.chance(0.3),
    wrapUps: random.pick([0, 0, 1]),
    cancels: random.pick([0, 0, 1]),
    emphasis: [
      'truncated',
      'emptyReply',
      'killAfter',
      'killBefore',
      'late',
      'freeze',
      'lostAnswer',
      'brokenStream',
    ],
    hunts: ['twoReplies', 'silentEnd', 'zombie'],
  }),
  /**
   * Runs whose files the system verifies before they are complete. Meanwhile owners die, and people send messages and
   * stop them.
   */
  proving: (random) => ({
    proves: random.pick(['inline', 'queue']),
    files: true,
    leaseMs: 25_000,
    messages: random.between(1, 4),
    apartMs: random.pick([300, 1_000, 5_000, 60_000]),
    toolRate: random.pick([0.3, 0.6]),
    batch: random.pick([1, 3]),
    tools: ['put', 'edit', 'look', 'pay'],
    cancels: random.pick([0, 0, 1]),
    wrapUps: random.pick([0, 0, 1]),
    replays: random.pick([0, 0.5]),
    emphasis: [
      'killAfter',
      'killBefore',
      'late',
      'freeze',
      'lostAnswer',
      'slowTool',
      'redelivered',
      'truncated',
    ],
    hunts: ['twoReplies', 'zombie', 'orphan', 'lateClaim', 'lateMade'],
  }),
  /**
   * Many sessions whose wakes are purged, or whose questions are not decided, so that all of them are overdue at once.
   * Sweepers die.
   */
  sleepers: (random) => ({
    tenants: random.between(1, 3),
    sessions: random.between(5, 8),
    duePage: random.pick([1, 1, 2]),
    messages: 1,
    leaseMs: 25_000,
    workers: random.between(2, 5),
    toolRate: 0.4,
    batch: 2,
    tools: random.pick([['look'], ['wire', 'look'], ['wire', 'fetch']]),
    patient: random.chance(0.5),
    pieces: 1,
    pieceMs: 20,
    clients: 0,
    emphasis: ['purge', 'outage', 'noInit', 'staleRead', 'killAfter', 'killBefore', 'strayWake', 'slow'],
  }),
  /**
   * Many sessions while the number of step queues is raised and lowered, with messages in them or after they were
   * drained.
   */
  lanes: (random) => ({
    tenants: 2,
    sessions: random.between(2, 5),
    messages: random.between(1, 3),
    apartMs: random.pick([300, 5_000, 60_000]),
    leaseMs: 25_000,
    workers: random.between(2, 6),
    toolRate: 0.5,
    batch: 2,
    tools: random.pick([
      ['look', 'pay'],
      ['wire', 'look'],
      ['fetch', 'send', 'look'],
    ]),
    lanes: random.pick([
      [lanes(1), lanes(3), lanes(1, 3), lanes(1)],
      [lanes(4), lanes(1), lanes(2)],
      [lanes(5), lanes(3), lanes(2)],
      [lanes(1), lanes(2), lanes(5), lanes(2, 5)],
    ]),
    pieceMs: random.pick([20, 300, 2_000]),
    emphasis: ['killAfter', 'killBefore', 'redelivered', 'strayWake', 'late', 'lostAnswer', 'outage'],
  }),
  /**
   * Many sessions on several hosts, and a server with a rate limit that is far too low for all of them: most wait, and
   * none fails.
   */
  limited: (random) => ({
    tenants: random.between(1, 2),
    sessions: random.between(3, 6),
    messages: random.between(1, 2),
    apartMs: 5_000,
    workers: random.between(2, 6),
    limit: {
      requests: random.between(1, 3),
      everyMs: random.pick([10_000, 60_000]),
      groups: random.between(1, 3),
    },
    toolRate: random.pick([0, 0.4]),
    batch: 2,
    pieces: 1,
    pieceMs: 20,
    clients: random.between(0, 1),
    cancels: random.pick([0, 0, 1]),
    leaseMs: 25_000,
    hunts: ['twoReplies', 'zombie', 'orphan', 'lateClaim'],
    emphasis: ['killAfter', 'late', 'lostAnswer', 'freeze', 'overloaded'],
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
