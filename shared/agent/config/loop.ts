import * as z from 'zod';
import { asking } from './asking.ts';

const count = z.int().min(0).max(10_000);

/** Whether the numbers that are on (not 0) rise. */
export const rises = (numbers: readonly number[]): boolean => {
  const on = numbers.filter((n) => n > 0);
  return on.every((n, i) => i === 0 || n > (on[i - 1] ?? 0));
};

/** Requires that the named numbers rise. The error lists the numbers, because some may be defaults. */
function rising<Name extends string, T extends { readonly [N in Name]?: unknown }>(
  ...names: readonly Name[]
) {
  const numbersOf = (value: T) => names.map((name) => Number(value[name] ?? 0));
  return [
    (value: T) => rises(numbersOf(value)),
    {
      error: ({ input }: { input?: unknown }) =>
        `must rise: ${names.join(' < ')} (0 = off), but is ${numbersOf(input as T).join(', ')}`,
    },
  ] as const;
}
const LEVELS = 'must rise';

/** Identical tool steps in a row. */
export const StepRepeat = z.strictObject({
  /** Identical tool steps in a row after which the next identical one ends the run; 0 = off. */
  limit: count.default(3),
  /**
   * Whether a step counts as a repetition if its results differ from those of the step before. `never`: every repeated step
   * counts. `poll_tools`: steps that only poll are excused. `always`: all steps are excused. With `always` and `loop.news` set to
   * `excused`, steps that only poll are left to `loop.cycles.poll`.
   */
  resultAware: z.enum(['never', 'poll_tools', 'always']).default('always'),
  /** Characters of each argument that are compared; 0 = all of them. */
  truncateValuesAt: count.default(0),
});

/** The same call made again and again. */
export const CallStreak = z.strictObject({
  /** Identical calls in a row at which the model is advised; 0 = off. */
  exact: count.default(3),
  /** The same, for calls with the same primary arguments; 0 = off. */
  fuzzy: count.default(4),
  /** Lengths of a streak at which the advice becomes firmer. */
  escalateAt: z.array(z.int().min(1)).max(2).refine(rises, LEVELS).default([4, 6]),
  /** Identical reads. */
  read: z
    .strictObject({
      /** The n-th identical read without progress ends the run as `tool_error`; 0 = off. */
      limit: count.default(5),
      /** Identical reads after which the model is asked to stop; 0 = off. */
      warnAt: count.default(3),
    })
    .refine(...rising('warnAt', 'limit'))
    .prefault({}),
  /** Identical shell commands. */
  bash: z
    .strictObject({
      /** Identical commands that count as too many; 0 = off. */
      limit: count.default(3),
      /** `after_n`: `limit` run, the next ends the run as `tool_error`. `on_nth`: the `limit`-th does. */
      stopOn: z.enum(['after_n', 'on_nth']).default('after_n'),
    })
    .prefault({}),
});

const cycle = (advise: number, refuse: number, halt: number) => ({
  /** The n-th time without anything new, the model is advised; 0 = off. */
  advise: count.default(advise),
  /** The n-th time, the call is refused; 0 = off. */
  refuse: count.default(refuse),
  /** The n-th time, the run ends and is not recovered; 0 = off. */
  halt: count.default(halt),
});
/** Calls that are repeated while nothing is new: cycles of any length. */
export const Cycles = z
  .strictObject({
    ...cycle(3, 6, 10),
    /** For tools that poll, and for waiting. */
    poll: z
      .strictObject(cycle(10, 21, 31))
      .refine(...rising('advise', 'refuse', 'halt'))
      .prefault({}),
  })
  .refine(...rising('advise', 'refuse', 'halt'));

/** A change that is made again with equal arguments and an equal outcome, whatever else is new. */
export const Changes = z
  .strictObject({
    /** The n-th time, the model is advised; a payment at the second time; 0 = off. */
    advise: count.default(3),
    /** The n-th time, the call is refused, or a person is asked; 0 = off. */
    refuse: count.default(5),
    /** The n-th time, the run ends and is not recovered; 0 = off. */
    halt: count.default(10),
    /** Whether a person may allow a call that would be refused: see `loop.window.approval`. An allowed call starts its count again. */
    approval: z.enum(asking).default('attended'),
  })
  .refine(...rising('advise', 'refuse', 'halt'));

/** Failures of one tool, or of one program of a shell, that are alike, whatever else is new. */
export const Failures = z
  .strictObject({
    /** The n-th time, the model is advised, and again at each doubling; 0 = off. */
    advise: count.default(3),
    /** The n-th time, the run ends and is not recovered; twice as late if something was changed in between; 0 = off. */
    halt: count.default(10),
  })
  .refine(...rising('advise', 'halt'));

const thresholds = (warn: number, block: number, halt: number) =>
  z
    .strictObject({
      /** The n-th call is run, and its result says to stop. */
      warn: count.default(warn),
      /** The n-th call is not run. */
      block: count.default(block),
      /** The n-th call ends the run. */
      halt: count.default(halt),
    })
    .refine(...rising('warn', 'block', 'halt'))
    .prefault({});

/** As {@link thresholds}, for one tool: a missing value is that of the tool's kind. */
const ofOneTool = z
  .strictObject({
    /** The n-th call of this tool is run, and its result says to stop. */
    warn: count.optional(),
    /** The n-th call of this tool is not run. */
    block: count.optional(),
    /** The n-th call of this tool ends the run. */
    halt: count.optional(),
  })
  .refine(...rising('warn', 'block', 'halt'));

/** How often one tool may be called in a run, whatever its arguments. */
export const Counts = z.strictObject({
  /** Calls of a tool that changes nothing. */
  idempotent: thresholds(5, 8, 12),
  /** Calls of any other tool. */
  mutating: thresholds(3, 5, 7),
  /**
   * `always`: the counts decide. `stuck`: block and halt are only warnings while fewer than `noProgress.warn` identical calls in
   * a row have had identical results; with `loop.news` set to `excused`, nothing is said before that.
   */
  gate: z.enum(['always', 'stuck']).default('stuck'),
  /** Other thresholds for single tools, by name. A missing value is that of the tool's kind, idempotent or mutating. */
  perTool: z.record(z.string().min(1).max(64), ofOneTool).default({}),
});

/** Identical calls with identical results in a row. */
export const NoProgress = z
  .strictObject({
    /** Identical results in a row at which the result says to stop; 0 = off. */
    warn: count.default(4),
    /** Identical results in a row after which the next identical call ends the run; 0 = off. */
    halt: count.default(8),
  })
  .refine(...rising('warn', 'halt'));

export const detectors = ['generic_repeat', 'poll_no_progress', 'ping_pong'] as const;

/** Patterns in the last calls. */
export const Window = z.strictObject({
  /** Number of last calls that are searched. */
  size: z.int().min(2).max(100).default(30),
  /** Matches at which the call runs and the model is told, once a run. */
  warn: z.int().min(2).max(100).default(10),
  /** Matches at which the call is not run; raised above `warn` if it is not higher. */
  critical: z.int().min(2).max(200).default(20),
  /**
   * Whether a person may allow a critical call to run: only while a client is listening to the session (`attended`: a WebSocket,
   * Slack, a callback), always, or never. An allowed call runs, and its count starts again. A denied or undecided call is
   * refused.
   */
  approval: z.enum(asking).default('attended'),
  /** Which detectors run; empty = off. They ignore whether the run makes progress in between; `loop.cycles` considers it. */
  detectors: z.array(z.enum(detectors)).max(3).default([]),
});

/** Consecutive tool steps without a successful change. */
export const NoMutation = z.strictObject({
  /** Steps at which the model is asked to act, then ordered, then ordered at every further step; empty = off. */
  levels: z.array(z.int().min(1)).max(3).refine(rises, LEVELS).default([8, 9, 10]),
  /**
   * `contract`: only if the completion contract asks for changes. `offered`: whenever a tool that changes something is offered,
   * unless the contract is declared to be `none` or the mode is `docs`. Never while a run's messages only ask a question, unless
   * the contract holds whatever is asked.
   */
  when: z.enum(['contract', 'offered']).default('contract'),
  /**
   * Which steps count. `without_change`: every step that changed nothing. `only_reads`: steps in which every call only read; any
   * other step, such as a shell command, starts the count again.
   */
  steps: z.enum(['without_change', 'only_reads']).default('without_change'),
  /** Said once a session, at the first level. */
  once: z.boolean().default(false),
});

/** The loop guards. */
export const Loop = z.strictObject({
  /**
   * `false` turns all of them off, and with them the limit of active time that a preset sets. The definition's own
   * `time.activeTurnSeconds` stays.
   */
  enabled: z.boolean().default(true),
  /**
   * `excused`: calls that bring something new are work, and loop guards ignore them: other arguments, or other results of the
   * same ones. Loop guards react only to calls that are repeated with the same result, or that fail alike. `counted`: each guard
   * counts as the system that it comes from does.
   */
  news: z.enum(['excused', 'counted']).default('excused'),
  cycles: Cycles.prefault({}),
  changes: Changes.prefault({}),
  failures: Failures.prefault({}),
  stepRepeat: StepRepeat.prefault({}),
  callStreak: CallStreak.prefault({}),
  counts: Counts.prefault({}),
  noProgress: NoProgress.prefault({}),
  window: Window.prefault({}),
  noMutation: NoMutation.prefault({}),
});

/** How many reads one run may make. */
export const Reads = z.strictObject({
  /**
   * Reads of a run; the next is refused, and the run goes on; 0 = off. Off by default, because reading new things is work (Hamr:
   * 64).
   */
  budget: count.default(0),
  /** Share of `budget` from which every request says how many are left. */
  warnFrom: z.number().min(0).max(1).default(0.5),
});

/** Advice that never stops a run. 0 = off. */
export const Nudges = z.strictObject({
  /** Reading without changing anything. Off by default: tasks that only read would be pushed into edits. */
  exploration: z
    .strictObject({
      /** Different files read without an edit (attocode: 10). */
      uniqueFiles: count.default(0),
      /** Reading calls in a row that found fewer than `newFiles` new files (attocode: 15). */
      calls: count.default(0),
      /** New files that count as progress. */
      newFiles: count.default(2),
    })
    .prefault({}),
  /** Failed test runs in a row. */
  testFix: count.default(3),
  /** Failed shell commands in a row (aar: 2). */
  shellFailures: count.default(3),
  /** Replies in a row without calls, in a run that goes on. */
  textOnly: count.default(2),
  /** Reads that agents of one run have made after another of them had made the same. */
  siblings: count.default(10),
});
