/** A session's history, step by step: `GET /sessions/{sessionId}/steps`, and single steps in full. */
import * as z from 'zod';
import type { FoldReason } from './events.ts';
import type { AttachmentInfo } from './message.ts';
import type { Totals, Usage } from './session.ts';
import type { Unpriced } from './unpriced.ts';

/** `GET /sessions/{sessionId}/steps?from=&limit=&order=`: a page ends sooner when it is large. */
export const StepsQuery = z.strictObject({
  /**
   * `next` of the page before. Oldest first: the slot to begin with. Newest first: steps that begin before this slot.
   */
  from: z.coerce.number().int().nonnegative().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  order: z.enum(['oldest', 'newest']).default('oldest'),
});

/** One step: a model call and its tools, a compaction of the context, or calls that the system makes itself. */
export interface StepInfo {
  readonly runId: string;
  /**
   * Its number in its run, from 1. A fold and the calls of the system have the number of the next model call; so has
   * each failed call.
   */
  readonly step: number;
  /** Its slots: that of the reply, and that of its results when they exist. */
  readonly slots: number[];
  /**
   * `model`: a model was asked; if `stop` is absent, it gave no reply. `fold`: the context was compacted. `made`: the
   * system called tools. `assessment`: a model was asked whether the run makes progress.
   */
  readonly kind: 'model' | 'fold' | 'assessment' | 'made';
  /** For `assessment`: the finding, and its reason in the words of the model that was asked. */
  readonly finding?: 'done' | 'going_on' | 'stuck' | 'unclear';
  readonly why?: string;
  /** For `made`: verification (`check`), or changes that people have approved (`plan`). */
  readonly made?: 'check' | 'plan';
  /**
   * When a worker claimed the session for it: ISO 8601. For a reply that was adopted from a dead worker, that worker's
   * claim.
   */
  readonly startedAt?: string;
  /** When its calls began: ISO 8601. */
  readonly toolsAt?: string;
  /** The attempt that committed it; above 1, workers have died at it. */
  readonly attempt?: number;
  /** Failed tries before it, since the last reply: model calls that failed, or were not made. */
  readonly retries?: number;
  /** As its server calls it. */
  readonly model?: string;
  /** Why the model stopped. */
  readonly stop?: string;
  readonly usage?: Usage;
  /** USD for the model. */
  readonly costUsd?: number;
  /** USD for infrastructure, from its claim until that of the next step, including failed tries in between. */
  readonly infraUsd?: number;
  /** The server did not report all of the usage: part of it is estimated. */
  readonly estimated?: true;
  /** Parts of the bill, known or possible, that are not in `costUsd` (docs/cost.md). */
  readonly notInPrice?: readonly Unpriced[];
  /** Imported (docs/history.md): nothing was requested or run for it here. */
  readonly imported?: true;
  /**
   * Additional charges to the session that produced nothing: calls that broke, and attempts that died after the
   * request.
   */
  readonly lost?: Totals;
  readonly times: StepTimes;
  /** The verdicts of guards, as in their journal. */
  readonly verdicts: VerdictInfo[];
  readonly fold?: FoldInfo;
  /** In the order of the reply. */
  readonly calls: CallInfo[];
  /** The text of the model, cut at {@link MAX_STEP_TEXT} characters. */
  readonly text: string;
}

/** Characters of a reply in the list of steps. */
export const MAX_STEP_TEXT = 200;

/**
 * How long a step took, in ms, in chronological order. Times that were not recorded are absent; steps of older versions
 * have only `modelMs` and `toolsMs`.
 */
export interface StepTimes {
  /**
   * From when the session was due and its message sent, until a worker began to claim it. For a later attempt it
   * includes those before it.
   */
  readonly queueMs?: number;
  /** Until the session was claimed and loaded. */
  readonly claimMs?: number;
  /** From then until the model was asked: guards, files, listing tools. */
  readonly prepareMs?: number;
  /** The call of the model. */
  readonly modelMs?: number;
  /** The part of it until its first word. */
  readonly firstTokenMs?: number;
  /**
   * From the end of the model's call until the step that ran the calls was due: people had to decide, or calls were
   * queued.
   */
  readonly waitMs?: number;
  /** Its tools, until the last one ended. */
  readonly toolsMs?: number;
  /** Its commit, until the next step's message was sent. Absent for the last step of a run. */
  readonly commitMs?: number;
}

/** A guard's verdict on a step: its kind decides what it did, and which other fields it has (docs/guards.md). */
export type VerdictInfo = Readonly<Record<string, unknown>> &
  Readonly<Record<'guard' | 'kind' | 'code', string>>;

/** A content block in the format of the Messages API. */
export type BlockInfo = Readonly<Record<string, unknown>> & Readonly<Record<'type', string>>;

/** The part that a fold has left out. */
export interface FoldInfo {
  readonly why: FoldReason;
  /** Size of the request, before and after; the latter is an estimate. */
  readonly tokens: { readonly before: number; readonly after: number };
  readonly left: { readonly messages: number; readonly tokens: number };
  /** First slot that the model reads beside the summary. */
  readonly start: number;
}

/** A call of a step. */
export interface CallInfo {
  readonly id: string;
  readonly name: string;
  /** `open`: there is no result yet. */
  readonly outcome: 'ok' | 'error' | 'refused' | 'cancelled' | 'unknown' | 'open';
  readonly durationMs?: number;
  /** Taken from an earlier equal call: nothing was run. */
  readonly cached?: true;
  /** The session that it has begun (docs/children.md). */
  readonly child?: string;
  /** The rule that decided whether it may run, if one had to. */
  readonly rule?: string;
  /** The person who decided on it, if one did: its approver, the person who denied it, or who answered its question. */
  readonly decidedBy?: string;
  /** Their decision. */
  readonly decision?: 'approved' | 'denied' | 'answered';
}

/** `GET /sessions/{sessionId}/steps/{slot}`: the new parts of its request, the reply, and the results of its calls. */
export interface StepDetails {
  readonly info: StepInfo;
  /**
   * Pass this as `after` to `GET /sessions/{sessionId}/events` to get the events of the step, while they are kept. They
   * end with the first STEP_FINISHED; absent if the step emitted none.
   */
  readonly after?: number;
  /** USD for a million tokens of each kind, for the model that was asked; absent if its price is unknown. */
  readonly price?: Usage;
  /** The text that was new for the model in this step, besides the results of the step before. */
  readonly input: InputInfo[];
  /**
   * Blocks of the reply as they came, including calls that a guard has dropped, or the calls of the system; only the
   * text of thinking.
   */
  readonly content: BlockInfo[];
  /** The model's thinking, if it is not one of the blocks. */
  readonly reasoning?: string;
  /** For a fold: the text that the model reads in place of the omitted part. */
  readonly summary?: string;
  readonly results: ResultInfo[];
  /** Texts were cut, with a mark, because they do not fit into an answer. */
  readonly cut?: true;
}

/**
 * `GET /sessions/{sessionId}/steps/{slot}/request`: the full request to its model, in the form that every provider
 * gets.
 */
export interface StepRequest {
  readonly model: string;
  readonly maxTokens: number;
  /** Additional options of the definition, in its provider's words. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly system: string;
  readonly tools: readonly ToolInfo[];
  /** Blocks in the format of the Messages API; files are replaced by a placeholder, and thinking has no signature. */
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: readonly BlockInfo[];
  }[];
  /** Texts were cut, with a mark, because they do not fit into an answer. */
  readonly cut?: true;
}

/** A tool as it is declared to a model. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** A page of `GET /sessions/{sessionId}/steps`. */
export interface StepsAnswer {
  readonly steps: StepInfo[];
  /** USD of the session for models, after the last step that it had when this page was read. */
  readonly costUsd: number;
  /** `from` of the next page; absent on the last one. */
  readonly next?: string;
}

/** A text that entered the conversation on the user's side. */
export interface InputInfo {
  readonly text: string;
  readonly attachments?: AttachmentInfo[];
  /** The message that it came with; absent for the system's own text. */
  readonly eventId?: string;
  /** Why the system added it: people do not see it among the messages. */
  readonly internal?: string;
}

/** The result of a call. */
export interface ResultInfo {
  readonly callId: string;
  readonly name: string;
  readonly outcome: Exclude<CallInfo['outcome'], 'open'>;
  /** The text that the model reads. */
  readonly content: string;
  readonly durationMs: number;
  /** `content` is the head of a longer text. */
  readonly isHead?: true;
  readonly cached?: true;
  readonly exitCode?: number;
  /** A guard's note on it, for the model too. */
  readonly note?: { readonly message: string; readonly action: string };
  readonly attachments?: AttachmentInfo[];
  /** Files that the call has changed. */
  readonly changes?: string[];
}
