import type { Totals, Usage } from '../../contract/session.ts';
import type { Unpriced } from '../../contract/unpriced.ts';
import type { Attachment } from './attachments.ts';
import type { Fold, StoredCarried } from './fold.ts';
import type { Leaves, SaidToCalls } from './leave.ts';
import type { Omitted } from './omitted.ts';
import type { Said } from './said.ts';
import type { Task } from './tasks.ts';
import type { StoredTiming } from './timing.ts';
import type { ResultNote, Spoken, TextOnly } from './verdict.ts';

/**
 * Why the model stopped: the stop reasons of the Messages API, and ours for a call that we ended (`interrupted`), for
 * want of time (`deadline`).
 */
export type Stop =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'pause_turn'
  | 'refusal'
  | 'context_limit'
  | 'interrupted'
  | 'deadline'
  | 'unknown';

/**
 * The transcript: immutable slots, one per model reply and one per tool batch. What a slot holds is exactly
 * what was sent and received, so a later request repeats its prefix byte for byte.
 */
export type Slot = ModelSlot | ToolsSlot;

/** The input turn and the model's reply to it, in one item. */
export interface ModelSlot {
  readonly kind: 'model';
  readonly n: number;
  readonly runId: string;
  /** Step of the run, from 1. */
  readonly step: number;
  readonly input: readonly InputTurn[];
  /** The slot is a fold: it has no reply, and its input is the head of the context that it begins. */
  readonly fold?: Fold;
  /** Absent when the model call failed: the input is kept all the same. And where the system calls tools itself. */
  readonly reply?: StoredReply;
  /** Calls of the system, in place of a reply. */
  readonly made?: Made;
  /**
   * The server of the model refused the request as malformed: the model reads a notice in place of these parts from now on. Only slots
   * without a reply have it, and the last one before a reply decides.
   */
  readonly omitted?: readonly Omitted[];
  /** Written before {@link omitted} was: media since the reply before is read by name only. */
  readonly unseen?: true;
  /** The server refused to answer what it was sent since the reply before, with an error in place of a reply that stops with `refusal`. */
  readonly refused?: true;
  /**
   * Charged to the totals, and for nothing: the estimated input of attempts that died after asking the model, and what the
   * call of this step used before it broke.
   */
  readonly lost?: Totals;
  readonly verdicts: readonly Spoken[];
  /** What was decided on the calls of its reply before any of them began; of those that nobody says anything of, nothing. */
  readonly leaves?: Leaves;
  /**
   * The definition that the model was asked with, where this step has made it (docs/adr/0013-tool-sources.md): whoever adopts the reply
   * goes on with that one, and lists no tools anew.
   */
  readonly definition?: string;
  /** The step may only speak: the calls of its reply were dropped (T3, T4, T6). */
  readonly textOnly?: TextOnly;
  /** Tree of the session's workspace with the files that came with the input; absent when none did, ever. */
  readonly workspace?: string;
  /** When its step came, for people: a `Timing`. */
  readonly at?: StoredTiming;
}

/** A slot that begins a new context. */
export type FoldSlot = ModelSlot & { readonly fold: Fold };

export const isFold = (slot: Slot): slot is FoldSlot => slot.kind === 'model' && slot.fold !== undefined;

/** The results of a reply's calls, each exactly once, in call order. */
export interface ToolsSlot {
  readonly kind: 'tools';
  readonly n: number;
  readonly runId: string;
  /** `messageId` of the reply that asked: a batch written beside another reply is not this one's. */
  readonly replyTo: string;
  /**
   * `Session.eventSeq` of the commit that its step went on from: one that was written from an earlier commit is not adopted. Absent in
   * slots from before it was kept.
   */
  readonly after?: number;
  readonly results: readonly ToolResult[];
  /** The system has asked, and not the model. */
  readonly made?: Made['by'];
  /** Of a plan: what people have said to it. */
  readonly note?: string;
  readonly verdicts: readonly Spoken[];
  /** What was decided on its calls since, of a batch that was open: who has approved them, and what was forbidden meanwhile. */
  readonly leaves?: Leaves;
  /** Who has denied calls of a batch that was open, or answered their questions. */
  readonly saidTo?: SaidToCalls;
  /** Tree of the session's workspace after the batch; absent while the session has never had a file. */
  readonly workspace?: string;
  /** The tree as it would be with what is proposed after the batch; absent where nothing is, and where that has no file. */
  readonly draft?: string;
  /** When its calls were run, for people: a `BatchTiming`. */
  readonly at?: StoredTiming;
  /** The `Timing` of the step that has run them, where that is another one than its reply's. */
  readonly by?: StoredTiming;
}

/** Text that enters the conversation on the user's side. */
export interface InputTurn {
  /** Empty when only attachments were sent. */
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** The inbox event it came with; absent on internal text. */
  readonly eventId?: string;
  /** When and by whom it was said. Absent where its session tells its model nothing of that. */
  readonly said?: Said;
  /** Set on text of ours: in the model's context, never shown to people (A20). */
  readonly internal?: {
    readonly reason: string;
    /** Set on a message that the head of a context repeats; absent on heads from before it was kept. */
    readonly carries?: StoredCarried;
    /** Names of the tools that the head of a context repeats (`fold_tools`). */
    readonly tools?: readonly string[];
  };
}

/** A model reply as it is kept. */
export interface StoredReply {
  /** Our id, the same in events and snapshots. */
  readonly messageId: string;
  /** As its server calls it. */
  readonly model: string;
  /** Which of the definition's fallbacks it was, from 1; absent on replies of its own model (T14). */
  readonly fallback?: number;
  /** Slot of the fold with which its context began; absent when it has read the whole conversation. */
  readonly fold?: number;
  readonly stop: Stop;
  /** Content blocks as received, less the calls that must not run: `callsOf` says which are left. */
  readonly content: readonly Block[];
  /**
   * Calls as they run, where that differs from what `content` says: the model has misspelled a name, or written arguments in a form that
   * the tool's schema does not take. Absent when none differs.
   */
  readonly read?: readonly ToolCall[];
  readonly usage: Usage;
  readonly costUsd: number;
  /** See {@link Reply}. */
  readonly estimated?: true;
  /** See `Totals`. */
  readonly notInPrice?: readonly Unpriced[];
  /** See {@link Billing}: billed, and not part of what the model read. */
  readonly aside?: Usage;
  /** See {@link Reply}. */
  readonly contextTokens?: number;
  /** What the model thought, where that is not part of `content` (H19, T16). */
  readonly reasoning?: string;
  /** It was said elsewhere (docs/history.md): nothing was asked for it here. `model` is `imported` where nobody has said which. */
  readonly imported?: true;
  /** Time of the model call in ms (L7). */
  readonly durationMs?: number;
  /** The content that guards judged, where history keeps another: an adopted reply is judged by it again. */
  readonly asReceived?: readonly Block[];
  /** See {@link Reply}. */
  readonly cutCalls?: boolean;
  readonly callsComplete?: boolean;
  readonly malformed?: string;
}

/**
 * Calls that the system makes itself, in place of a reply: they run as those of a reply do. The model reads neither them nor their
 * results: what has come of them it is told as input. People see them.
 */
export interface Made {
  /** Why: `check` is what a gate asks for (docs/proof.md), `plan` what was proposed, for people to decide on (docs/plan-mode.md). */
  readonly by: 'check' | 'plan';
  /** As of a reply. */
  readonly messageId: string;
  /** Calls, as a reply has them. */
  readonly content: readonly Block[];
  /** Of a plan: its changes, one for each call. */
  readonly changes?: readonly Change[];
}

/** A content block of the Messages API, kept as it came: also the kinds that this code does not know. */
export type Block = { readonly type: string; readonly [key: string]: unknown };

/** A call that a model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a call waits for that has run, and whose result is not there yet. */
export type Awaits =
  /** Whoever holds one of its tokens answers, until then: epoch ms. */
  | { readonly kind: 'answer'; readonly until: number }
  /** A person is asked, and then it runs again. */
  | { readonly kind: 'person'; readonly question: string };

/** What came of a call. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly outcome: 'ok' | 'error' | 'refused' | 'cancelled' | 'unknown';
  /** What the model reads. */
  readonly content: string;
  /** Where the whole text lies when `content` is only its head. */
  readonly blob?: string;
  readonly durationMs: number;
  /** `content` says only that the output was left out: with the others of its batch it would have filled the context (T20). */
  readonly leftOut?: true;
  /** Taken from an equal call before; nothing was run. */
  readonly cached?: boolean;
  /** `content` is the JSON of what the tool returned, rather than its text. */
  readonly json?: boolean;
  /** What a guard says about it: the model reads it with the content, people see the content alone (L4). */
  readonly note?: ResultNote;
  /** The tool said that its run has made progress (L11). */
  readonly progress?: string;
  /** Set while there is no result yet: then nothing else of it is one, and no slot has it. */
  readonly awaits?: Awaits;
  /** Exit code of the command that the tool ran, when it returned one. */
  readonly exitCode?: number;
  /** Images that the model sees with the content. */
  readonly attachments?: readonly Attachment[];
  /** Its number among the changes that are proposed: nothing has changed yet. */
  readonly proposed?: number;
  /** What the call has changed in the workspace: of a call that ended `ok`, by path. Empty where that is too much to be said: its batch's tree has it. */
  readonly changes?: readonly FileChange[];
  /** The session's tasks as the call has left them. Of one that has changed them and ended `ok`. */
  readonly tasks?: readonly Task[];
}

/** A file of the workspace as a call has left it. */
export interface FileChange {
  readonly path: string;
  /** SHA-256 of its content, in hex; absent when the file is gone. */
  readonly hash?: string;
  /** Size of its content; absent when the file is gone. */
  readonly bytes?: number;
  /** Of a proposed change: hash of the content that it was made from; absent when there was no such file. */
  readonly from?: string;
}

/** A proposed change as people decide on it. */
export interface Change {
  /** Of its call in the plan's reply. */
  readonly callId: string;
  /** What a decision is bound to: the tool, its arguments as it reads them, and for files what they were and become. */
  readonly digest: string;
  /** What becomes of files, where the call changes nothing else: that is made, and the tool is not run again. */
  readonly files?: readonly FileChange[];
}
