import * as z from 'zod';

/** The ten session states (loop-spec.md section 2). */
export const states = [
  'idle',
  'running',
  'waiting_for_tool',
  'waiting_for_input',
  'completed',
  'error',
  'cancelled',
  'timed_out',
  'max_steps',
  'budget_exceeded',
] as const;
export type State = (typeof states)[number];

/** Why a run is in its state: `reason` refines `state` (loop-spec.md section 2; `crash_loop` is design.md section 4's;
 * `tenant_budget`, docs/budgets.md, and `completed_empty`, docs/recovery.md, are ours). */
export const reasons = [
  'completed',
  'completed_truncated',
  'completed_empty',
  'cancelled',
  'timed_out',
  'max_steps',
  'max_tool_calls',
  'token_budget',
  'cost_limit',
  'tenant_budget',
  'context_limit',
  'resource_limit',
  'loop_halt',
  'tool_error',
  'model_error',
  'provider_error',
  'incomplete_action',
  'open_tasks',
  'verification_failed',
  'blocked',
  'internal_error',
  'crash_loop',
  'awaiting_approval',
  'awaiting_user',
] as const;
export type Reason = (typeof reasons)[number];
/** Why a run is complete: with an answer, with one that was cut, or without a word. */
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

/** Names one session. */
export interface SessionKey {
  readonly tenant: string;
  readonly sessionId: string;
}

/** Token counts of one or many model calls. `input` excludes cached tokens (A10). */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What a run or a session has used so far. */
export interface Totals extends Usage {
  /** USD, by the price pinned with the definition (A10); counted in whole billionths (`money.ts`). */
  readonly costUsd: number;
  /**
   * Some of it is our estimate and not what a server told: it told no usage (A9), or an attempt died before anybody heard
   * what it used.
   */
  readonly estimated?: true;
}

/** How a run ended: kept with the session until its next run ends. */
export interface LastEnding {
  readonly state: State;
  readonly reason: Reason;
  /** What exactly, in one word: a guard's code, or the failure's. */
  readonly code: string;
  /** A sentence for people, cut at {@link MAX_ENDING_MESSAGE}. */
  readonly message: string;
  /** Which guard ended it, if one did. */
  readonly guard?: string;
  /** Epoch ms. */
  readonly at: number;
}

/** Characters of an ending's message that are kept: it is written with HEAD. */
export const MAX_ENDING_MESSAGE = 500;
