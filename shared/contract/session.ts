import * as z from 'zod';
import type { Unpriced } from './unpriced.ts';

/** The ten session states (docs/reference/events.md). */
export const states = [
  /** No run has begun yet, or a message has just come. */
  'idle',
  /** A run is in progress: a step is running, or is due. */
  'running',
  /** The run waits for calls in the tool queue, for an answer from outside, or for sessions that it has begun, without compute. */
  'waiting_for_tool',
  /** The run waits for people: an approval, an answer, or another message. */
  'waiting_for_input',
  /** The last run has completed with an answer. */
  'completed',
  /** The last run has failed. */
  'error',
  /** The last run was stopped. */
  'cancelled',
  /** The last run took too long. */
  'timed_out',
  /** The last run has used up its steps. */
  'max_steps',
  /** The last run reached its budget of tokens or dollars, the daily limit of its tenant, or the end of the context. */
  'budget_exceeded',
] as const;
/** The state of a session, or how its last run ended. */
export type State = (typeof states)[number];

/**
 * Why a run is in its state: `reason` refines `state` (docs/reference/events.md; `crash_loop` is ours; `tenant_budget`,
 * docs/budgets.md, and `completed_empty`, docs/recovery.md, are ours).
 */
export const reasons = [
  /** With an answer. */
  'completed',
  /** With an answer that was cut at the limit of output. */
  'completed_truncated',
  /** The model’s answer had no words. */
  'completed_empty',
  /** By a person, or with its parent. */
  'cancelled',
  /** `limits.timeoutSeconds`, or `guardrails.time.activeTurnSeconds`. */
  'timed_out',
  /** `limits.maxSteps`. */
  'max_steps',
  /** `limits.maxToolCalls`. */
  'max_tool_calls',
  /** `limits.tokenBudget`. */
  'token_budget',
  /** `limits.costLimitUsd`. */
  'cost_limit',
  /** The tenant's limit of the day (docs/budgets.md). */
  'tenant_budget',
  /** The conversation is longer than the model can read. */
  'context_limit',
  /** The worker ran out of memory, disk or files. */
  'resource_limit',
  /** A guard against loops. */
  'loop_halt',
  /** Calls failed step after step, or the same read or command came too often. */
  'tool_error',
  /** The model said nothing, was cut too often, or wrote malformed calls. */
  'model_error',
  /** The model’s server refused, or was unavailable for too long. */
  'provider_error',
  /** The model announced an action and did not take it. */
  'incomplete_action',
  /** Tasks of the session’s list are left open. */
  'open_tasks',
  /** The required verification is missing. */
  'verification_failed',
  /** The answer does not match the object that the agent declares. */
  'answer_invalid',
  /** The model refused to answer. */
  'blocked',
  /** A guard threw. */
  'internal_error',
  /** Its workers died at the same step, again and again. */
  'crash_loop',
  /** It waits for an approval. */
  'awaiting_approval',
  /** It waits for an answer or a message. */
  'awaiting_user',
  /** A tool’s result is to come from outside. */
  'awaiting_callback',
  /** It waits for sessions that it has begun (docs/children.md). */
  'awaiting_child',
  /** It rests until a moment, or until something comes in. */
  'awaiting_timer',
] as const;
/** Why a session is in its state. */
export type Reason = (typeof reasons)[number];
/** Why a run is complete: with an answer, with one that was cut, or without words. */
export type CompletedReason = Extract<Reason, `completed${string}`>;

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'use letters, digits, - and _ only');

/** A tenant's name. It starts every key, so a role can be confined to it. */
export const Tenant = name;
/** A session's id, unique within its tenant. */
export const SessionId = name;
/** An agent's name. */
export const AgentName = name;
/** A webhook's name: the last part of its URL. */
export const WebhookName = name;

/** A schedule's id, unique within its tenant: the name that the definition gives it, or the one that the API has made. */
export const ScheduleId = name;

/** Names one session. */
export interface SessionKey {
  readonly tenant: string;
  readonly sessionId: string;
}

/** Token counts of one or many model calls. `input` excludes cached tokens. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Tokens of `cacheWrite` that were written for an hour. Absent when there were none. */
  readonly cacheWrite1h?: number;
  /** Web searches that the model's server ran, each for a fee. Absent when there were none. */
  readonly webSearches?: number;
}

/** The totals of a run or a session so far. */
export interface Totals extends Usage {
  /** USD, by the price pinned with the definition; counted in whole billionths (`money.ts`). */
  readonly costUsd: number;
  /**
   * USD that its committed steps have cost as infrastructure, beside `costUsd` (docs/cost.md); absent if it is not
   * counted.
   */
  readonly infraUsd?: number;
  /** A part is our estimate: a server reported no usage, or an attempt died before its usage arrived. */
  readonly estimated?: true;
  /** Parts of the bill, known or possible, that are not in `costUsd` (docs/cost.md). Absent when there are none. */
  readonly notInPrice?: readonly Unpriced[];
}

/** How a run ended: kept with the session until its next run ends. */
export interface LastEnding {
  readonly state: State;
  readonly reason: Reason;
  /** The exact cause, in one word: a guard's code, or the failure's. */
  readonly code: string;
  /** A sentence for people, cut at `MAX_ENDING_MESSAGE`. */
  readonly message: string;
  /** The guard that ended it, if one did. */
  readonly guard?: string;
  /** Epoch ms. */
  readonly at: number;
}

/** Characters of an ending's message that are kept: it is written with HEAD. */
export const MAX_ENDING_MESSAGE = 500;
