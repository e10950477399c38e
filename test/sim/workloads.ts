import { type Amount, nothing } from '../../shared/agent/budgets/amount.ts';
import type { FaultKind } from './faults.ts';
import type { HuntName } from './hunts/index.ts';
import { narrowWorkloads } from './narrow-workloads.ts';
import type { Random } from './random.ts';
import type { ShapeName } from './shapes.ts';
import { foldingBeside } from './small-windows.ts';

/** The content of one simulation, drawn from its seed. Rates are probabilities, times are ms. */
export interface Workload {
  readonly tenants: number;
  /** Per tenant. */
  readonly sessions: number;
  readonly messages: number;
  /** Characters of the largest messages. */
  readonly letters: number;
  /** Maximum time between two messages to one session. */
  readonly apartMs: number;
  readonly workers: number;
  readonly deadlineMs: number;
  readonly leaseMs: number;
  /** Share of replies that call tools, the maximum number of calls, and the tools. */
  readonly toolRate: number;
  readonly batch: number;
  readonly tools: readonly ToolName[];
  /** Whether the agent has a tool source, which lists different tools each time. */
  readonly listing: boolean;
  /** Whether the agent has a skill, of which each deploy has another version. */
  readonly skills?: boolean;
  /** Number of pieces in which a reply streams, and the time between them. */
  readonly pieces: number;
  readonly pieceMs: number;
  readonly cancels: number;
  /** Number of requests to wrap up, or of cancels of a parent run, per session. */
  readonly wrapUps: number;
  readonly parentCancels: number;
  /** Number of deletions by people, per session. */
  readonly deletes?: number;
  /** Number of times that people restore the files, per session. */
  readonly restores: number;
  /** Number of times that people fork a session, or a fork of it, and retry a failed run; per session. */
  readonly forks?: number;
  readonly retries?: number;
  /** Share of replies with a block that its own server does not accept back. */
  readonly odd?: number;
  /** Whether the model's server refuses, fails and stops for every reason, while nothing else goes wrong. */
  readonly scripted: boolean;
  /** Number of people's decisions on waits, per session. */
  readonly decisions: number;
  /** Whether people have hours to decide instead of minutes. */
  readonly patient: boolean;
  /** Whether approving a call may also allow others like it. */
  readonly grants?: boolean;
  /** Whether the agent plans: people decide on everything that a run would change, in whole or in part. */
  readonly plans?: boolean;
  /** Whether the agent asks other agents, which ask others, and how long it waits for them. */
  readonly family?: { readonly expiresAfterSeconds: number; readonly background?: boolean };
  /** Whether the agent gives its session to another one, which may give it back. */
  readonly handsOver?: boolean;
  /** The shape through which it asks the other agents; absent if it asks them itself. */
  readonly shape?: ShapeName;
  /** Number of clients per session. */
  readonly clients: number;
  /** Time that a client stays before it drops. */
  readonly stayMs: number;
  /** The model's server fails from the start for this long. */
  readonly modelDownMs: number;
  /**
   * Number of requests that the model's server takes in a number of ms, from all hosts together, and the number of
   * groups in which hosts inform each other.
   */
  readonly limit?: { readonly requests: number; readonly everyMs: number; readonly groups: number };
  /** The step that kills its worker, and where. */
  readonly poison: 'none' | 'start' | 'model' | 'tool';
  /** Maximum events of an inbox, if lower than usual. Further events are kept next to it. */
  readonly maxInbox?: number;
  /** Share of events that the sender sends again later: the same, or with another body. */
  readonly replays: number;
  readonly conflicts: number;
  /** Whether another version of the agent is deployed while sessions run. */
  readonly deploys: boolean;
  /** Step queues at the start and after each deploy of a different number; one by default. */
  readonly lanes?: readonly Lanes[];
  /** The tenant's limits for a day; 0 = unlimited. */
  readonly tenantLimits: Amount;
  /** Replies of a run after which a model is asked whether the run makes progress; absent if it is not asked. */
  readonly assesses?: number;
  /** A run's limits, if it has any. */
  readonly runBudget?: RunBudget;
  /** Faults that are active more often than others. */
  readonly emphasis: readonly FaultKind[];
  /** Narrow gaps that are sought on purpose. A seed draws one of them. */
  readonly hunts: readonly HuntName[];
  /** The small window of the model, and the agent's setting for it; absent if contexts never fill. */
  readonly context?: ContextWorkload;
  /** Characters of the longer outputs of tools, if there are any. */
  readonly toolLetters?: number;
  /** Characters of a tool's output that the model sees. */
  readonly maxOutput: number;
  /** Whether tools work on the files of their session. */
  readonly files: boolean;
  /** Whether the agent answers with an object. Its model randomly gives one, or half of one, or text. */
  readonly answers: boolean;
  /** Whether the system verifies the files of a run before its answer counts, in its step or from the queue. */
  readonly proves?: 'inline' | 'queue';
  /** Whether one person writes to each session, for whom its tools remember. */
  readonly known: boolean;
  /** Share of messages that their senders take back. */
  readonly withdraws?: number;
  /** Share of messages that come with files. */
  readonly sent: number;
  /** The limits of a session's workspace, if they are low. Text has one byte per character. */
  readonly room?: { readonly files: number; readonly fileBytes: number; readonly bytes: number };
  /** How often pages look at a session and answer its calls of their tool; absent if no page offers one. */
  readonly pages?: number;
  /** Whether tools, and the services that answer for them later, report progress. */
  readonly tells?: boolean;
  /** Share of step invocations that run an older version, which does not know folds and packs. */
  readonly older: number;
  /** Number of sessions in a page of the sweeper: few, so that there are more pages. */
  readonly duePage: number;
  /** Bytes of committed unpacked slots above which a step packs them: few, so that short sessions do. */
  readonly packAbove: number;
}

/** Step queues: the number that is sent to, and the number that exists. */
export interface Lanes {
  readonly sends: number;
  readonly consumes: number;
}

/** Whether a session's prompt is open until its first reply is kept: its tools are listed again, or its skills are pinned again. */
export const isRepinned = ({ listing, skills = false }: Pick<Workload, 'listing' | 'skills'>): boolean =>
  listing || skills;

/** A window that a few steps fill. */
export interface ContextWorkload {
  /** Tokens of request and reply, as the agent is told. */
  readonly window: number;
  readonly reserve: number;
  readonly strategy: 'staged' | 'compact' | 'sliding_window' | 'none';
  /** Maximum characters of a summary; 0 = none is made. */
  readonly maxChars: number;
  readonly summarizer: boolean;
  /**
   * Tokens counted by the model's server per estimated token. Above 1 it refuses requests that were estimated to fit.
   */
  readonly rate: number;
}

/** Limits of a run: tokens and USD, 0 = unlimited. */
export interface RunBudget {
  readonly tokens: number;
  readonly usd: number;
  /** Whether a limit is raised once, with a smaller context (T5). */
  readonly recover: boolean;
  /** The model makes one final reply when it is reached. */
  readonly onExceeded: 'halt' | 'wrap_up';
}

/** Tools of the simulated agent (`tools.ts`). */
export type ToolName =
  | 'draw'
  | 'look'
  | 'put'
  | 'view'
  | 'edit'
  | 'pay'
  | 'fetch'
  | 'send'
  | 'ship'
  | 'wire'
  | 'haul'
  | 'defer'
  | 'relay'
  | 'quiz'
  | 'nap'
  | 'doze'
  | 'hire'
  | 'charter'
  | 'rent'
  | 'lend'
  | 'let'
  | 'poll'
  | 'note'
  | 'jot'
  | 'recall'
  | 'ask_user'
  | 'team'
  | 'over'
  | 'send_to'
  | 'src__peek'
  | 'src__give'
  | 'src__mail';

export type Draw = (random: Random) => Partial<Workload>;

/** The workloads by name. */
export const workloads = {
  text: () => ({ toolRate: 0, emphasis: ['freeze'] }),
  tools: () => ({ toolRate: 0.6, batch: 2, emphasis: ['slowTool', 'throwingTool', 'killAfter', 'freeze'] }),
  once: () => ({
    toolRate: 0.7,
    batch: 3,
    tools: ['pay', 'pay', 'look'],
    emphasis: ['killAfter', 'killBefore', 'late', 'freeze', 'redelivered', 'lostAnswer'],
  }),
  batch: () => ({ toolRate: 0.7, batch: 6, emphasis: ['slowTool', 'hungTool', 'killAfter', 'outOfMemory'] }),
  busy: (random) => ({
    messages: random.between(4, 12),
    apartMs: 2_000,
    toolRate: 0.2,
    emphasis: ['freeze', 'slow'],
  }),
  cancel: (random) => ({
    messages: random.between(2, 4),
    apartMs: 6_000,
    cancels: random.between(1, 5),
    pieceMs: random.pick([100, 2_000]),
    emphasis: ['rateLimited', 'overloaded', 'slowTool', 'late'],
  }),
  outage: (random) => ({
    modelDownMs: random.between(1_000, 300_000),
    emphasis: ['overloaded', 'rateLimited', 'rateLimitedLong'],
  }),
  poison: (random) => ({
    poison: random.pick(['start', 'model', 'tool']),
    toolRate: 0.5,
    apartMs: 600_000,
    emphasis: ['noInit', 'outOfMemory'],
  }),
  oversize: () => ({ toolRate: 0.8, batch: 3, emphasis: ['oversize', 'truncated'] }),
  tenants: (random) => ({
    tenants: 3,
    sessions: random.between(1, 3),
    workers: random.between(1, 2),
    messages: 2,
  }),
  replay: (random) => ({
    messages: random.between(2, 5),
    apartMs: 3_000,
    replays: 0.8,
    conflicts: 0.2,
    emphasis: ['late', 'killAfter'],
  }),
  budgets: (random) => ({
    tenants: random.between(1, 2),
    sessions: random.between(2, 6),
    messages: random.between(1, 4),
    workers: random.between(2, 5),
    clients: 0,
    toolRate: random.pick([0, 0.5]),
    pieceMs: random.pick([20, 2_000]),
    cancels: random.pick([0, 2]),
    // A call reserves about 8,500 tokens and $0.042, and uses about 80 and $0.0002.
    tenantLimits: {
      tokens: random.pick([0, 9_000, 20_000, 45_000, 100_000]),
      microUsd: random.pick([0, 45_000, 100_000, 300_000]),
      steps: random.pick([0, 1, 2, 5, 12]),
    },
    emphasis: [
      'killAfter',
      'killBefore',
      'lostAnswer',
      'late',
      'freeze',
      'lastWords',
      'brokenStream',
      'skew',
    ],
  }),
  mixed: (random) => ({
    tenants: 2,
    sessions: 2,
    messages: random.between(1, 4),
    cancels: random.between(0, 2),
    replays: 0.2,
    conflicts: 0.05,
    deploys: true,
    ...(random.chance(0.4) && foldingBeside(random)),
    files: random.chance(0.3),
  }),
  fanIn: (random) => ({
    toolRate: 0.7,
    batch: 5,
    tools: random.pick([
      ['fetch', 'fetch', 'look'],
      ['fetch', 'send', 'ship', 'pay'],
      ['ship', 'ship'],
    ]),
    workers: random.between(1, 4),
    patient: random.chance(0.3),
    cancels: random.pick([0, 0, 1]),
    emphasis: ['slowTool', 'killAfter', 'redelivered', 'late', 'lostAnswer', 'strayWake'],
  }),
  approvals: (random) => ({
    messages: random.between(1, 4),
    toolRate: 0.7,
    batch: 3,
    tools: random.pick([
      ['wire', 'look'],
      ['wire', 'ask_user'],
      ['haul', 'wire', 'fetch', 'ask_user'],
    ]),
    decisions: random.between(1, 12),
    patient: random.chance(0.5),
    cancels: random.pick([0, 0, 1]),
    emphasis: ['killAfter', 'late', 'lostAnswer', 'redelivered', 'freeze'],
  }),
  plans: (random) => ({
    plans: true,
    messages: random.between(1, 4),
    toolRate: random.pick([0.5, 0.8]),
    batch: random.between(1, 4),
    tools: ['pay', 'pay', 'put', 'put', 'look', 'send', 'ship', 'wire', 'fetch'],
    decisions: random.between(4, 12),
    patient: random.chance(0.5),
    cancels: random.pick([0, 0, 1, 2]),
    emphasis: ['killAfter', 'killBefore', 'late', 'freeze', 'redelivered', 'lostAnswer'],
  }),
  grants: (random) => ({
    grants: true,
    messages: random.between(1, 4),
    toolRate: 0.9,
    batch: random.between(2, 6),
    tools: random.pick([['wire'], ['wire', 'look'], ['haul', 'wire'], ['haul']]),
    decisions: random.between(6, 20),
    patient: random.chance(0.5),
    cancels: random.pick([0, 0, 1]),
    emphasis: ['killAfter', 'killBefore', 'slowTool', 'late', 'lostAnswer', 'redelivered', 'freeze'],
  }),
  ...narrowWorkloads,
} as const satisfies Record<string, Draw>;

export type WorkloadName = keyof typeof workloads;
export const workloadNames = Object.keys(workloads) as WorkloadName[];

export function drawWorkload(name: WorkloadName, random: Random): Workload {
  const draw: Draw = workloads[name];
  return {
    tenants: 1,
    sessions: 1,
    messages: random.between(1, 3),
    letters: 0,
    apartMs: random.pick([5_000, 60_000]),
    workers: random.between(1, 3),
    deadlineMs: random.pick([40_000, 60_000, 300_000, 300_000]),
    leaseMs: random.pick([25_000, 60_000]),
    toolRate: 0.5,
    batch: 3,
    tools: ['look', 'put', 'pay'],
    listing: false,
    pieces: random.between(1, 4),
    pieceMs: random.pick([20, 300, 3_000]),
    cancels: 0,
    wrapUps: 0,
    parentCancels: 0,
    restores: 0,
    scripted: false,
    decisions: 0,
    patient: false,
    clients: random.between(0, 2),
    stayMs: random.pick([3_000, 30_000, 1_000_000]),
    modelDownMs: 0,
    poison: 'none',
    replays: 0.05,
    conflicts: 0,
    deploys: false,
    tenantLimits: nothing,
    emphasis: [],
    hunts: [],
    maxOutput: 200,
    files: false,
    answers: false,
    known: false,
    sent: 0,
    older: 0,
    packAbove: 1_000,
    duePage: 2,
    ...draw(random),
  };
}
