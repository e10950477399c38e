import * as z from 'zod';

/** Handling of replies without text and calls. */
export const Empty = z.strictObject({
  /** Empty replies in a row after which the model is asked again; 0 = off. */
  max: z.int().min(0).max(100).default(2),
  /** If a reply has only thinking, the model is asked once for its answer; after that the thinking is the answer. */
  thinkingNudge: z.boolean().default(true),
  /** More tries, in a run, if one of the last 10 events is a failed result. */
  afterFailure: z.int().min(0).max(100).default(0),
  /** After that the run ends as `completed_empty`, or fails; `accept_after_tools` completes it only if tools have run. */
  onExhausted: z.enum(['accept', 'model_error', 'accept_after_tools']).default('accept_after_tools'),
});

/** Handling of answers that only announce the work that was asked for. */
export const Intent = z.strictObject({
  /** Such answers in a row that are sent back; 0 = off. */
  max: z.int().min(0).max(100).default(2),
  /** Such answers of a run that are sent back, also if calls come in between; 0 = no maximum. */
  total: z.int().min(0).max(1_000).default(8),
  /**
   * After that the answer is accepted, or the run ends as `incomplete_action`. Accepted by default: the meaning of a text is a
   * guess, and a guess must not take an answer from its user.
   */
  onExhausted: z.enum(['accept', 'fail']).default('accept'),
  /** A `*.md` file that the user asked for and that was not written counts as well. */
  artifacts: z.boolean().default(true),
  /** Only if the agent has tools to act with; without tools it can do no more than announce. */
  needsTools: z.boolean().default(true),
});

/** How a reply is read. */
export const Parsing = z.strictObject({
  /** Thinking in `<think>`, `<thinking>` or `<reasoning>` tags: taken out of the stored text and kept apart, or left. */
  reasoningTags: z.enum(['strip', 'keep']).default('strip'),
  /** A tool call written as text in a reply without calls: it fails the reply, which recovery may handle, or is plain text. */
  malformedCalls: z.enum(['fail', 'accept']).default('fail'),
});
export type Parsing = z.output<typeof Parsing>;

/** Handling of answers such as "Done." after work with tools. */
export const StatusOnly = z.strictObject({
  /** Such answers of a run that are sent back before they are accepted; 0 = off. Off by default: some tasks ask for an "OK". */
  max: z.int().min(0).max(100).default(0),
});

/** Self-criticism of answers in text: each is sent back until the model states enough confidence (docs/recovery.md). */
export const Reflection = z.strictObject({
  /** Answers of a run that are sent back; 0 = off. Off in every preset, because each costs another reply (attocode: 3). */
  maxRounds: z.int().min(0).max(10).default(0),
  /** Stated confidence with which an answer stands, from 0 to 1. */
  confidence: z.number().min(0).max(1).default(0.8),
  /** USD that must be left of `limits.costLimitUsd`; below that, an answer stands. Without such a limit it has no effect. */
  minLeftUsd: z.number().min(0).max(1_000).default(0.05),
});

/** Handling of answers that do not match the agent's `answer` schema. */
export const Answering = z.strictObject({
  /**
   * Replies of a run that are sent back, each with what is wrong with it; 0 = none. Then the run ends as `answer_invalid`.
   * Requests to continue a cut reply (`truncation`) are counted apart.
   */
  maxRepairs: z.int().min(0).max(10).default(2),
});

/** Handling of replies that were cut at the output limit. */
export const Truncation = z.strictObject({
  /** Cut replies that the model is asked to continue; 0 = off. */
  max: z.int().min(0).max(100).default(2),
  /**
   * What `max` counts over: the whole session, a run, or cut replies in a row. `step` is a row too: the calls that the model
   * needs to finish one reply.
   */
  scope: z.enum(['session', 'run', 'streak', 'step']).default('streak'),
  /** Calls of a cut reply: all are dropped, or those run that the provider knows to be whole, as it does if calls are text. */
  toolCalls: z.enum(['discard', 'salvage_xml']).default('salvage_xml'),
  /**
   * After `max`: the cut text is the answer and the run says so (`complete`, `accept`), the run fails (`model_error`), or it
   * depends: text is the answer, a cut call fails the run (`by_kind`).
   */
  onExhausted: z.enum(['complete', 'accept', 'model_error', 'by_kind']).default('by_kind'),
  /** The parts of a continued answer count as one. */
  join: z.boolean().default(true),
});

/** Handling of answers while tasks of the session's list are open. For agents that have the tool `tasks`. */
export const Tasks = z.strictObject({
  /**
   * Answers in a row that are sent back with the next task while the list does not change; 0 = off, so an answer counts despite
   * open tasks. After that, or when only blocked tasks are left, the run ends as `open_tasks`.
   */
  maxNudges: z.int().min(0).max(100).default(3),
  /**
   * Ending of a run whose tasks are open when most of its budget is used and it may only answer (`budget.forceTextAt`): the answer
   * stands and says what is open, or the run ends as `token_budget`.
   */
  onForcedText: z.enum(['accept', 'fail']).default('accept'),
});

/** The things that a run may be asked to prove. */
const requirements = ['files_changed', 'verification_ran', 'verification_passed'] as const;
export type Requirement = (typeof requirements)[number];

/** The contract of a run: what it must prove before its answer counts. */
export const Verification = z.strictObject({
  /**
   * `patch` asks for a changed file, unless the user only asks a question; `verify` for a verification that passed. `read_only`
   * and `docs` ask for nothing, and no guard asks for changes either. When absent, the contract asks for nothing, and guards that do
   * not depend on it may ask for changes (`loop.noMutation.when: 'offered'`).
   */
  mode: z.enum(['read_only', 'docs', 'patch', 'verify']).optional(),
  /**
   * Overrides what the mode asks for. A change and a verification are two separate things, and neither proves the other: to
   * require both, list both.
   */
  contract: z.union([z.enum(['none', ...requirements]), z.array(z.enum(requirements)).max(3)]).optional(),
  /** Answers in a row that are sent back for missing proof. */
  maxNudges: z.int().min(0).max(100).default(3),
  /** After that the answer is accepted, or the run ends as `verification_failed`. */
  onExhausted: z.enum(['accept', 'verification_failed']).default('verification_failed'),
  /**
   * A verification that the system runs itself, with the agent's tool `bash`, before an answer counts: if files have changed
   * since it last passed, or if the contract asks for a verification. With a command, nothing else proves that verification.
   */
  command: z.string().min(1).max(1_000).optional(),
  /**
   * Repairs of a run whose command fails: the model is told the command's output, and may make half as many tool calls. Then the
   * run ends.
   */
  repairs: z.int().min(0).max(10).default(1),
});

/**
 * Handling of answers while TypeScript that the run has changed does not compile. For agents that have the tool
 * `typecheck`.
 */
export const Compilation = z.strictObject({
  /** Answers that are sent back with the errors; 0 = off. */
  maxNudges: z.int().min(0).max(100).default(8),
  /** Calls that change TypeScript after which it is compiled in the middle of the run; 0 = off. */
  everyEdits: z.int().min(0).max(1_000).default(5),
  /** After that the answer is accepted, or the run ends as `verification_failed`. */
  onExhausted: z.enum(['accept', 'verification_failed']).default('verification_failed'),
});
