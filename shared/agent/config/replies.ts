import * as z from 'zod';

/** What is done about replies that say nothing and call nothing (U3). */
export const Empty = z.strictObject({
  /** Empty replies in a row that are asked again; 0 = off (T15: 2). */
  max: z.int().min(0).max(100).default(2),
  /** A reply of nothing but thinking is asked once for its answer, then its thinking is the answer (T16). */
  thinkingNudge: z.boolean().default(true),
  /** More tries, in a run, when one of the last 10 events is a failing result (A23: 2). */
  afterFailure: z.int().min(0).max(100).default(0),
  /** After that the run ends as `completed_empty`, or fails; `accept_after_tools` completes it only when tools have run. */
  onExhausted: z.enum(['accept', 'model_error', 'accept_after_tools']).default('accept_after_tools'),
});

/** What is done about answers that only announce what they were to do (U4). */
export const Intent = z.strictObject({
  /** Such answers in a row that are sent back; 0 = off (H3: 3, T29: 2). */
  max: z.int().min(0).max(100).default(2),
  /**
   * After that the answer is accepted (H3), or the run ends as `incomplete_action` (T29). Accepted by default: what a
   * text is about is a guess, and a guess must not take an answer from its user.
   */
  onExhausted: z.enum(['accept', 'fail']).default('accept'),
  /** A `*.md` file that the user asked for and nobody wrote counts as well (T29). */
  artifacts: z.boolean().default(true),
  /** Only where the agent has tools to act with: else an announcement is all that it can do. */
  needsTools: z.boolean().default(true),
});

/** How a reply is read (H19). */
export const Parsing = z.strictObject({
  /** Thinking in `<think>`, `<thinking>` or `<reasoning>` tags: taken out of the stored text and kept apart, or left. */
  reasoningTags: z.enum(['strip', 'keep']).default('strip'),
  /** A tool call written as text where no call was made: fails the reply, which recovery may consume, or is text. */
  malformedCalls: z.enum(['fail', 'accept']).default('fail'),
});
export type Parsing = z.output<typeof Parsing>;

/** What is done about answers such as "Done." after work with tools (H5). */
export const StatusOnly = z.strictObject({
  /** Such answers of a run that are sent back; then they are accepted; 0 = off (H5: 2). Off: some tasks ask for an "OK". */
  max: z.int().min(0).max(100).default(0),
});

/** What is done about answers that are not the object that the agent declares (`answer`). */
export const Answering = z.strictObject({
  /**
   * Replies of a run that are sent back, each with what is wrong with it; 0 = none. Then the run ends as `answer_invalid`. What a
   * cut reply is asked (`truncation`) is counted apart.
   */
  maxRepairs: z.int().min(0).max(10).default(2),
});

/** What is done about replies that were cut at the output limit (U2). */
export const Truncation = z.strictObject({
  /** Cut replies that are asked to go on; 0 = off (A15: 2, H12: 2, T17: 3). */
  max: z.int().min(0).max(100).default(2),
  /**
   * What `max` counts over: the whole session (S1), a run, or cut replies in a row. `step` (S4) is a row too: what the
   * model takes to finish one reply.
   */
  scope: z.enum(['session', 'run', 'streak', 'step']).default('streak'),
  /**
   * Calls of a cut reply: all dropped, or run as far as their provider knows them to be whole, as it does where calls
   * are text (H12).
   */
  toolCalls: z.enum(['discard', 'salvage_xml']).default('salvage_xml'),
  /**
   * After `max`: the cut text is the answer and the run says so (`complete`, S1; `accept`, S4), the run fails
   * (`model_error`, S2), or it depends: text is the answer, a cut call fails the run (`by_kind`).
   */
  onExhausted: z.enum(['complete', 'accept', 'model_error', 'by_kind']).default('by_kind'),
  /** The parts of a continued answer count as one (T17). */
  join: z.boolean().default(true),
});

/** What is done about answers while tasks of the session's list are open (T32). For agents that have the tool `tasks`. */
export const Tasks = z.strictObject({
  /**
   * Answers in a row that are sent back with the next task, while the list stays as it is; 0 = off, an answer counts whatever is
   * open. Then, and when nothing is left but what is blocked, the run ends as `open_tasks`.
   */
  maxNudges: z.int().min(0).max(100).default(3),
});

/** What a run may be asked to prove (H4). */
const requirements = ['files_changed', 'verification_ran', 'verification_passed'] as const;
export type Requirement = (typeof requirements)[number];

/** What a run must prove before its answer counts (U9's contract, H4). */
export const Verification = z.strictObject({
  /** `patch` asks for a changed file, unless the user only asks a question; `verify` for a verification that passed. */
  mode: z.enum(['read_only', 'docs', 'patch', 'verify']).default('read_only'),
  /**
   * Goes before what the mode asks for. That something was changed and that something was verified are two things, and neither
   * proves the other: who wants both lists both.
   */
  contract: z.union([z.enum(['none', ...requirements]), z.array(z.enum(requirements)).max(3)]).optional(),
  /** Answers in a row that are sent back for want of proof (H4: 5; ours 3). */
  maxNudges: z.int().min(0).max(100).default(3),
  /** After that the answer is accepted (H4), or the run ends as `verification_failed`. */
  onExhausted: z.enum(['accept', 'verification_failed']).default('verification_failed'),
  /**
   * A verification that the system runs itself, with the agent's tool `bash`, before an answer counts: when files have changed since it
   * last passed, or when the contract asks for a verification, which nothing else proves then (H18).
   */
  command: z.string().min(1).max(1_000).optional(),
  /** Repairs of a run whose command fails: the model is told what it said, and may call half as many tools (H18: 1). Then the run ends. */
  repairs: z.int().min(0).max(10).default(1),
});

/** What is done about answers while TypeScript that the run has changed does not compile (T30). For agents that have the tool `typecheck`. */
export const Compilation = z.strictObject({
  /** Answers that are sent back with the errors; 0 = off (T30: 8). */
  maxNudges: z.int().min(0).max(100).default(8),
  /** Calls that change TypeScript after which it is compiled in the middle of the run; 0 = off (T30: 5). */
  everyEdits: z.int().min(0).max(1_000).default(5),
  /** After that the answer is accepted (T30), or the run ends as `verification_failed`. */
  onExhausted: z.enum(['accept', 'verification_failed']).default('verification_failed'),
});
