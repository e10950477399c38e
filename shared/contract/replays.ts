import * as z from 'zod';
import type { Reason, State } from './session.ts';

/** The query of `GET /sessions/{sessionId}/guards`. */
export const ReplayQuery = z.strictObject({
  /** Names of presets, separated by commas. All presets when absent. */
  preset: z
    .string()
    .max(200)
    .transform((text) => text.split(',').map((name) => name.trim()))
    .optional(),
});

/**
 * The effect of a verdict.
 *
 * - `advised`: the model reads `text` with its next request; `unsaid`: other advice, or the budget for advice, left no room.
 * - `warned`: people are told, and the model too if there is a `text`, on the result of the call.
 * - `refused`: the call is not run, and `text` is its result; `asked`: the same, unless a person who listens lets it run.
 * - `sent_back`: the answer does not count, and the model reads `text`.
 * - `calls_dropped`: no call of the reply is run; `text_only`: the model may only write.
 * - `recovered`: the run would have ended, but goes on, and the model reads `text`; `ended`: the run ends.
 * - `accepted`: the answer counts, with a remark; `checked`: the system calls a tool first; `allowed`: people are told that a
 *   rule does not apply.
 */
export const replayedEffects = [
  'advised',
  'unsaid',
  'warned',
  'refused',
  'asked',
  'sent_back',
  'calls_dropped',
  'text_only',
  'recovered',
  'ended',
  'accepted',
  'checked',
  'allowed',
] as const;
export type ReplayedEffect = (typeof replayedEffects)[number];

/** A verdict of a guard on a stored step. */
export interface ReplayedVerdict {
  readonly runId: string;
  /** Step of the run, from 1. */
  readonly step: number;
  /** First slot of the step; for a verdict before the model is asked, the step may have no slot. */
  readonly slot?: number;
  readonly guard: string;
  readonly code: string;
  readonly effect: ReplayedEffect;
  /** The call that it is about; absent if it is about the step. */
  readonly toolCallId?: string;
  /** The text that the model reads, at most 2,000 characters; absent if it reads nothing. */
  readonly text?: string;
  /** The sentence that people read. */
  readonly message: string;
}

/** How a preset ends a stored run. */
export interface ReplayedEnd {
  readonly runId: string;
  /** The last step that is carried out, from 1; 0 if the run ends before its first step. */
  readonly step: number;
  readonly state: State;
  readonly reason: Reason;
}

/** Verdicts on the steps of a session. */
export interface ReplayedVerdicts {
  /** In order; the first 500. */
  readonly said: ReplayedVerdict[];
  /** How many more there are; absent if `said` has all. */
  readonly more?: number;
}

/** The guards of a preset on the stored steps of a session. */
export interface GuardReplay extends ReplayedVerdicts {
  readonly preset: string;
  /** The runs that end within the stored steps. The others go on, end for a reason that no preset decides, or are open. */
  readonly ends: ReplayedEnd[];
}

/** `GET /sessions/{sessionId}/guards`: what presets of guards say to a stored session. */
export interface ReplayAnswer {
  /** The first slot that was replayed: 0, unless the session is longer than what one request replays. */
  readonly from: number;
  /** The runs that were replayed, oldest first, with their stored steps. */
  readonly runs: { readonly runId: string; readonly steps: number }[];
  /** Verdicts of the session's own guards, as they are stored. */
  readonly ran: ReplayedVerdicts;
  readonly presets: GuardReplay[];
  /** Texts were cut, with a mark, because they do not fit into an answer. */
  readonly cut?: true;
}
