import * as z from 'zod';
import { asking } from './asking.ts';

const count = z.int().min(0).max(10_000);

/** Rising numbers, as far as they are on. */
export const rises = (numbers: readonly number[]): boolean => {
  const on = numbers.filter((n) => n > 0);
  return on.every((n, i) => i === 0 || n > (on[i - 1] ?? 0));
};

/** The named numbers must rise (L9). What is not said is a default: so the numbers are told. */
function rising<Name extends string, T extends { readonly [N in Name]?: unknown }>(
  ...names: readonly Name[]
) {
  const numbersOf = (value: T) => names.map((name) => Number(value[name] ?? 0));
  return [
    (value: T) => rises(numbersOf(value)),
    {
      error: ({ input }: { input?: unknown }) =>
        `must rise: ${names.join(' < ')} (0 = off), and is ${numbersOf(input as T).join(', ')}`,
    },
  ] as const;
}
const LEVELS = 'must rise';

/** U1, A12: identical tool steps in a row. */
export const StepRepeat = z.strictObject({
  /** Identical tool steps in a row after which the next identical one ends the run; 0 = off (A12: 3). */
  limit: count.default(3),
  /**
   * Whether a step counts as a repetition when its results differ from those of the step before: `never` looks at
   * results (A12), `poll_tools` excuses steps that only poll (section 7), `always` excuses every step; with it, where
   * `loop.news` is excused, steps that only poll are left to `loop.cycles.poll`.
   */
  resultAware: z.enum(['never', 'poll_tools', 'always']).default('always'),
  /** Characters of each argument that are compared; 0 = all of them (A12: the source compares 200). */
  truncateValuesAt: count.default(0),
});

/** U1b: the same call again and again. */
export const CallStreak = z.strictObject({
  /** Identical calls in a row at which the model is advised; 0 = off (T8: 3). */
  exact: count.default(3),
  /** The same, for calls alike in their primary arguments; 0 = off (T8: 4). */
  fuzzy: count.default(4),
  /** Lengths of a streak at which the advice becomes firmer (T8: 4 and 6). */
  escalateAt: z.array(z.int().min(1)).max(2).refine(rises, LEVELS).default([4, 6]),
  /** Identical reads. */
  read: z
    .strictObject({
      /** The n-th identical read without progress ends the run as `tool_error`; 0 = off (H8: 5). */
      limit: count.default(5),
      /** Identical reads after which the model is asked to stop; 0 = off (H8: 3). */
      warnAt: count.default(3),
    })
    .refine(...rising('warnAt', 'limit'))
    .prefault({}),
  /** Identical shell commands. */
  bash: z
    .strictObject({
      /** Identical commands that count as too many; 0 = off (H9: 3). */
      limit: count.default(3),
      /** `after_n`: `limit` run, the next ends the run as `tool_error` (H9). `on_nth`: the `limit`-th does. */
      stopOn: z.enum(['after_n', 'on_nth']).default('after_n'),
    })
    .prefault({}),
});

const cycle = (advise: number, refuse: number, halt: number) => ({
  /** The n-th time it comes without news, the model is advised; 0 = off. */
  advise: count.default(advise),
  /** The n-th time it is refused; 0 = off. */
  refuse: count.default(refuse),
  /** The n-th time it ends the run, for good; 0 = off. */
  halt: count.default(halt),
});
/** Calls that come again and again while nothing is new: cycles of any length. */
export const Cycles = z
  .strictObject({
    ...cycle(3, 6, 10),
    /** For tools that poll, and for waiting (L13, L15: told at 10 equal answers, refused after 20). */
    poll: z
      .strictObject(cycle(10, 21, 31))
      .refine(...rising('advise', 'refuse', 'halt'))
      .prefault({}),
  })
  .refine(...rising('advise', 'refuse', 'halt'));

const thresholds = (warn: number, block: number, halt: number) =>
  z
    .strictObject({
      /** The n-th call is run, and its result says to stop (L4). */
      warn: count.default(warn),
      /** The n-th call is not run (L4). */
      block: count.default(block),
      /** The n-th call ends the run (L4). */
      halt: count.default(halt),
    })
    .refine(...rising('warn', 'block', 'halt'))
    .prefault({});

/** As {@link thresholds}, of one tool: what is not said is that of its kind (L9). */
const ofOneTool = z
  .strictObject({
    /** The n-th call of this tool is run, and its result says to stop (L4). */
    warn: count.optional(),
    /** The n-th call of this tool is not run (L4). */
    block: count.optional(),
    /** The n-th call of this tool ends the run (L4). */
    halt: count.optional(),
  })
  .refine(...rising('warn', 'block', 'halt'));

/** U1c: how often one tool may be called in a run, whatever its arguments (L2, L3). */
export const Counts = z.strictObject({
  /** Calls of a tool that changes nothing (L2: 5, 8, 12). */
  idempotent: thresholds(5, 8, 12),
  /** Calls of any other tool (L3: 3, 5, 7). */
  mutating: thresholds(3, 5, 7),
  /**
   * `always`: the counts decide (L2). `stuck`: block and halt are only warnings while fewer than `noProgress.warn`
   * identical calls in a row have had identical results (L12); where `loop.news` is excused, nothing is said before that.
   */
  gate: z.enum(['always', 'stuck']).default('stuck'),
  /** Other thresholds for single tools, by name; what is not said of one is that of its kind, idempotent or mutating (L9). */
  perTool: z.record(z.string().min(1).max(64), ofOneTool).default({}),
});

/** U1d: identical calls with identical results in a row (L6). */
export const NoProgress = z
  .strictObject({
    /** Identical results in a row at which the result says to stop; 0 = off (L6: 4). */
    warn: count.default(4),
    /** Identical results in a row after which the next identical call ends the run; 0 = off (L6: 8). */
    halt: count.default(8),
  })
  .refine(...rising('warn', 'halt'));

export const detectors = ['generic_repeat', 'poll_no_progress', 'ping_pong'] as const;

/** U1e: patterns in the last calls (L13). */
export const Window = z.strictObject({
  /** Calls that are looked back on (L13: 30). */
  size: z.int().min(2).max(100).default(30),
  /** Matches at which the call runs and the model is told once a run (L13, L15: 10). */
  warn: z.int().min(2).max(100).default(10),
  /** Matches at which the call is not run; raised above `warn` when it is not (L13, L15: 20). */
  critical: z.int().min(2).max(200).default(20),
  /**
   * Whether a person may let a critical call run: where somebody listens to the session (`attended`: a WebSocket, Slack, a
   * callback), always, or never. Allowed, it runs and its count begins again; denied, or with no decision, it is refused (L15).
   */
  approval: z.enum(asking).default('attended'),
  /** Which detectors look; none = off (L13). They do not look whether the run gets on meanwhile: `loop.cycles` does. */
  detectors: z.array(z.enum(detectors)).max(3).default([]),
});

/** U1f: consecutive tool steps without a successful change (H11). */
export const NoMutation = z.strictObject({
  /** Steps at which the model is asked, ordered, and ordered at every further step, to act; none = off (H11: 8, 9, 10). */
  levels: z.array(z.int().min(1)).max(3).refine(rises, LEVELS).default([8, 9, 10]),
  /**
   * `contract`: only when the completion contract asks for changes (section 7). `offered`: whenever a tool that
   * changes something is offered, unless the contract is declared to be `none` or the mode is `docs`. Never while a run's
   * messages only ask to be told something, but for a contract that holds whatever is asked.
   */
  when: z.enum(['contract', 'offered']).default('contract'),
  /**
   * What a step must be to count: `without_change` counts every step that changed nothing (H11), `only_reads` those of
   * which every call only read, and begins anew with any other, such as a command of a shell (A23).
   */
  steps: z.enum(['without_change', 'only_reads']).default('without_change'),
  /** Said once a session, at the first level (A23). */
  once: z.boolean().default(false),
});

/** The loop guards (section 7, U1 to U1f). */
export const Loop = z.strictObject({
  /**
   * Turns all of them off (L9), and with them the limit of active time that a preset sets (L7): `time.activeTurnSeconds` of the
   * definition's own stays.
   */
  enabled: z.boolean().default(true),
  /**
   * `excused`: what brings something new is work, so nothing is said of it: other arguments, and other results of the same
   * ones. Loop guards speak of calls that come again with the same result, or that fail alike. `counted`: each of them
   * counts as its source does.
   */
  news: z.enum(['excused', 'counted']).default('excused'),
  cycles: Cycles.prefault({}),
  stepRepeat: StepRepeat.prefault({}),
  callStreak: CallStreak.prefault({}),
  counts: Counts.prefault({}),
  noProgress: NoProgress.prefault({}),
  window: Window.prefault({}),
  noMutation: NoMutation.prefault({}),
});

/** H10: how many reads one run may make. */
export const Reads = z.strictObject({
  /** Reads of a run; the next is refused, and the run goes on; 0 = off (H10: 64; ours 0, as reads of new things are work). */
  budget: count.default(0),
  /** Share of `budget` from which every request says how many are left (H10: 0.5). */
  warnFrom: z.number().min(0).max(1).default(0.5),
});

/** T9: advice that never stops a run. 0 = off. */
export const Nudges = z.strictObject({
  /** Reading without changing anything. Off by default: tasks that only read would be pushed into edits. */
  exploration: z
    .strictObject({
      /** Different files read without an edit (T9: 10). */
      uniqueFiles: count.default(0),
      /** Reading calls in a row that found fewer than `newFiles` new files (T9: 15). */
      calls: count.default(0),
      /** T9: 2. */
      newFiles: count.default(2),
    })
    .prefault({}),
  /** Failed test runs in a row (T9: 3). */
  testFix: count.default(3),
  /** Failed shell commands in a row (T9: 3; A23: 2). */
  shellFailures: count.default(3),
  /** Replies in a row that only talk, in a run that goes on (T9: 2). */
  textOnly: count.default(2),
});
