/** What a session did, step by step: `GET /sessions/{sessionId}/steps`, and one of them in full. */
import * as z from 'zod';
import type { FoldReason } from './events.ts';
import type { AttachmentInfo } from './message.ts';
import type { Totals, Usage } from './session.ts';
import type { Unpriced } from './unpriced.ts';

/** `GET /sessions/{sessionId}/steps?from=&limit=&order=`: a page ends sooner when it is large. */
export const StepsQuery = z.strictObject({
  /** `next` of the page before. Oldest first: the slot to begin with. Newest first: steps that begin before this slot. */
  from: z.coerce.number().int().nonnegative().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  order: z.enum(['oldest', 'newest']).default('oldest'),
});

/** One step: a model call and its tools, a fold of the context, or calls that the system makes itself. */
export interface StepInfo {
  readonly runId: string;
  /** Its number in its run, from 1. A fold, and what the system makes, have that of the model call that comes next; so has each call that failed. */
  readonly step: number;
  /** Its slots: that of the reply, and that of its results when they are there. */
  readonly slots: number[];
  /** `model`: a model was asked; without `stop` it gave no reply. `fold`: the context was made smaller. `made`: the system called tools. */
  readonly kind: 'model' | 'fold' | 'made';
  /** Of `made`: for evidence (`check`), or what people have approved (`plan`). */
  readonly made?: 'check' | 'plan';
  /** When a worker claimed the session for it: ISO 8601. Of a reply that was adopted from a dead worker: that one's claim. */
  readonly startedAt?: string;
  /** When its calls began: ISO 8601. */
  readonly toolsAt?: string;
  /** Which attempt has committed it; above 1, workers have died at it. */
  readonly attempt?: number;
  /** Tries that came to nothing before it, since the last reply: calls of the model that failed, or were not made. */
  readonly retries?: number;
  /** As its server calls it. */
  readonly model?: string;
  /** Why the model stopped. */
  readonly stop?: string;
  readonly usage?: Usage;
  /** USD for the model. */
  readonly costUsd?: number;
  /** USD for infrastructure, from its claim until that of the next step: with tries between them that came to nothing. */
  readonly infraUsd?: number;
  /** The server did not tell all of the usage: part of it is estimated. */
  readonly estimated?: true;
  /** Parts of the bill, known or possible, that are not in `costUsd` (docs/cost.md). */
  readonly notInPrice?: readonly Unpriced[];
  /** Said elsewhere, and imported (docs/history.md): nothing was asked or run for it here. */
  readonly imported?: true;
  /** Charged to the session besides, and for nothing: calls that broke, and attempts that died after asking. */
  readonly lost?: Totals;
  readonly times: StepTimes;
  /** What guards have said, as their journal has it. */
  readonly verdicts: VerdictInfo[];
  readonly fold?: FoldInfo;
  /** In the order of the reply. */
  readonly calls: CallInfo[];
  /** What the model said, cut at {@link MAX_STEP_TEXT} characters. */
  readonly text: string;
}

/** Characters of a reply in the list of steps. */
export const MAX_STEP_TEXT = 200;

/**
 * How long a step took, in ms, in the order in which it happens. What nobody has recorded is absent; in steps from before a version that
 * recorded it there are `modelMs` and `toolsMs` alone.
 */
export interface StepTimes {
  /** From when the session was due and its message sent, until a worker began to claim it. Of a later attempt with those before it. */
  readonly queueMs?: number;
  /** Until the session was claimed and loaded. */
  readonly claimMs?: number;
  /** From then until the model was asked: guards, files, listing tools. */
  readonly prepareMs?: number;
  /** The call of the model. */
  readonly modelMs?: number;
  /** Of that, until its first word. */
  readonly firstTokenMs?: number;
  /** From the end of the model's call until the step that ran the calls was due: people had to decide, or calls were queued. */
  readonly waitMs?: number;
  /** Its tools, until the last was over. */
  readonly toolsMs?: number;
  /** Its commit, until the next step's message was sent. Absent for the last step of a run. */
  readonly commitMs?: number;
}

/** What a guard said of a step: its kind decides what it did, and which fields it has besides (docs/guards.md). */
export type VerdictInfo = Readonly<Record<string, unknown>> &
  Readonly<Record<'guard' | 'kind' | 'code', string>>;

/** A content block as the Messages API has it. */
export type BlockInfo = Readonly<Record<string, unknown>> & Readonly<Record<'type', string>>;

/** What a fold has left out. */
export interface FoldInfo {
  readonly why: FoldReason;
  /** Of the request, before and after; the latter is an estimate. */
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
  /** Taken from an equal call before: nothing was run. */
  readonly cached?: true;
  /** Which rule has decided whether it may run, where one had to. */
  readonly rule?: string;
  /** Who has decided on it, where a person did: its approver, who has denied it, or who has answered what it asks. */
  readonly decidedBy?: string;
  /** What they have decided. */
  readonly decision?: 'approved' | 'denied' | 'answered';
}

/** `GET /sessions/{sessionId}/steps/{slot}`: what was new in its request, what came back, and what its calls came to. */
export interface StepDetails {
  readonly info: StepInfo;
  /**
   * What clients were told of it, while that is kept: pass this as `after` to `GET /sessions/{sessionId}/events`. Its events end with the first
   * STEP_FINISHED; absent where it has said nothing.
   */
  readonly after?: number;
  /** USD for a million tokens of each kind, of the model that was asked; absent where nobody knows its price. */
  readonly price?: Usage;
  /** What the model read for the first time in this step, besides the results of the step before. */
  readonly input: InputInfo[];
  /** Blocks of the reply as they came, with calls that a guard has dropped, or the calls of the system; of thinking its text alone. */
  readonly content: BlockInfo[];
  /** What the model thought, where that is none of the blocks. */
  readonly reasoning?: string;
  /** Of a fold: what the model reads in place of what was left out. */
  readonly summary?: string;
  readonly results: ResultInfo[];
  /** Texts were cut, with a mark: no answer holds them. */
  readonly cut?: true;
}

/** `GET /sessions/{sessionId}/steps/{slot}/request`: all that its model was asked with, as any provider is handed it. */
export interface StepRequest {
  readonly model: string;
  readonly maxTokens: number;
  /** What the definition asks for besides, in the words of its provider. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly system: string;
  readonly tools: readonly ToolInfo[];
  /** Blocks as the Messages API has them; of what was sent as a file there is a placeholder, and of thinking no signature. */
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: readonly BlockInfo[];
  }[];
  /** Texts were cut, with a mark: no answer holds them. */
  readonly cut?: true;
}

/** A tool as a model is told of it. */
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
  /** `from` of the page after it; absent on the last one. */
  readonly next?: string;
}

/** A text that entered the conversation on the user's side. */
export interface InputInfo {
  readonly text: string;
  readonly attachments?: AttachmentInfo[];
  /** The message that it came with; absent on text of the system's own. */
  readonly eventId?: string;
  /** Why the system says it: people do not see it among the messages. */
  readonly internal?: string;
}

/** What a call came to. */
export interface ResultInfo {
  readonly callId: string;
  readonly name: string;
  readonly outcome: Exclude<CallInfo['outcome'], 'open'>;
  /** What the model reads. */
  readonly content: string;
  readonly durationMs: number;
  /** `content` is the head of a longer text. */
  readonly isHead?: true;
  readonly cached?: true;
  readonly exitCode?: number;
  /** What a guard says on it, for the model too. */
  readonly note?: { readonly message: string; readonly action: string };
  readonly attachments?: AttachmentInfo[];
  /** Files that the call has changed. */
  readonly changes?: string[];
}
