import * as z from 'zod';
import { Budget } from './budget.ts';
import { Context } from './context.ts';
import { Injections } from './injections.ts';
import { Loop, Nudges, Reads } from './loop.ts';
import { Recovery, ToolErrors } from './recovery.ts';
import {
  Answering,
  Compilation,
  Empty,
  Intent,
  Parsing,
  Reflection,
  StatusOnly,
  Tasks,
  Truncation,
  Verification,
} from './replies.ts';

/** How long a run may be active, in addition to `limits.timeoutSeconds`. */
const Time = z.strictObject({
  /** Active seconds, waits for the queue and people excluded, after which the next call ends the run; 0 = off. */
  activeTurnSeconds: z.number().min(0).default(0),
  /** Share of `limits.timeoutSeconds` at which the run warns, once; 0 = off. */
  soft: z.number().min(0).max(1).default(0.8),
});

/**
 * Asks a model from time to time whether the run still comes nearer to its goal (docs/guards.md, "Progress"). Such an
 * assessment sees what repetition does not show, such as a mail that is only reworded.
 */
const Progress = z.strictObject({
  /** Off in every preset, because each question costs money. */
  enabled: z.boolean().default(false),
  /** Replies of the run between two questions. */
  every: z.int().min(2).max(1_000).default(25),
  /** USD that must be left of `limits.costLimitUsd`; below that, nothing is asked. Without such a limit it has no effect. */
  minLeftUsd: z.number().min(0).max(1_000).default(0.05),
});

const factor = z.number().min(0).max(10);

/**
 * How long to wait before the model is asked again. The number of tries is `limits.maxRetries`, and the time limit
 * `limits.outageSeconds`.
 */
const Retry = z.strictObject({
  /** Seconds before the second try, doubled for each further one. */
  baseSeconds: z.number().min(0).max(900).default(1),
  /** The wait is multiplied by a random number between these two. */
  jitter: z.tuple([factor, factor]).default([0.5, 1.5]),
  /** Seconds, times the tries, after a rate limit that names no time of its own. */
  rateLimitSeconds: z.number().min(0).max(900).default(30),
  /** As `jitter`, after a rate limit. */
  rateLimitJitter: z.tuple([factor, factor]).default([0.8, 1.2]),
  /** Longest wait in seconds, jitter included, unless the server asks for a longer one; 0 = no maximum. */
  maxSeconds: z.number().min(0).max(900).default(60),
});

/**
 * Configuration of every guard (docs/guards.md): one part for each mechanism, every key optional, with the values of the
 * `default` preset as defaults. Hard limits are the agent's `limits`.
 */
export const Guardrails = z.strictObject({
  loop: Loop.prefault({}),
  reads: Reads.prefault({}),
  nudges: Nudges.prefault({}),
  progress: Progress.prefault({}),
  truncation: Truncation.prefault({}),
  empty: Empty.prefault({}),
  intent: Intent.prefault({}),
  statusOnly: StatusOnly.prefault({}),
  reflection: Reflection.prefault({}),
  verify: Verification.prefault({}),
  answer: Answering.prefault({}),
  tasks: Tasks.prefault({}),
  compile: Compilation.prefault({}),
  parsing: Parsing.prefault({}),
  toolErrors: ToolErrors.prefault({}),
  budget: Budget.prefault({}),
  context: Context.prefault({}),
  time: Time.prefault({}),
  recovery: Recovery.prefault({}),
  injections: Injections.prefault({}),
  retry: Retry.prefault({}),
  /** Whether loop counters start afresh with a user message; after a halt they always do. */
  resetOnUserMessage: z.boolean().default(true),
});
export type Guardrails = z.output<typeof Guardrails>;
/** Keys of `guardrails`. */
export type GuardrailsInput = z.input<typeof Guardrails>;
