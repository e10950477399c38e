import type { Totals, Usage } from '../../contract/session.ts';
import type { Unpriced } from '../../contract/unpriced.ts';
import type { Assessment } from './assessment.ts';
import type { Attachment } from './attachments.ts';
import type { Speaker } from './caller.ts';
import type { Fold, StoredCarried } from './fold.ts';
import type { HandedTo } from './handed-over.ts';
import type { Leaves, SaidToCalls } from './leave.ts';
import type { Omitted } from './omitted.ts';
import type { ChildOfCall } from './parent.ts';
import type { SentFacts } from './said.ts';
import type { Task } from './tasks.ts';
import type { StoredTiming } from './timing.ts';
import type { ResultNote, Spoken, TextOnly } from './verdict.ts';

/**
 * Why the model stopped: the stop reasons of the Messages API, and ours for a call that we ended (`interrupted`), or ended for
 * lack of time (`deadline`).
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
 * The transcript: immutable slots, one per model reply and one per tool batch. A slot has exactly what was sent and received,
 * so a later request repeats its prefix byte for byte.
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
  /** The slot is an assessment of the run's progress and has neither a reply nor input. */
  readonly assessment?: Assessment;
  /** Absent if the model call failed (the input is stored all the same), and if the system calls tools itself. */
  readonly reply?: StoredReply;
  /** Calls of the system, in place of a reply. */
  readonly made?: Made;
  /**
   * The model's server refused the request as malformed: the model reads a notice in place of these parts from now on. Only
   * slots without a reply have it, and the last one before a reply decides.
   */
  readonly omitted?: readonly Omitted[];
  /** Older form of {@link omitted}: the model reads only the names of media since the previous reply. */
  readonly unseen?: true;
  /**
   * The server refused to answer what it was sent since the previous reply, with an error in place of a reply that stops with
   * `refusal`.
   */
  readonly refused?: true;
  /**
   * Charged to the totals in vain: the estimated input of attempts that died after asking the model, and the usage of this
   * step's call before it broke.
   */
  readonly lost?: Totals;
  readonly verdicts: readonly Spoken[];
  /** Decisions on the calls of its reply before any of them began; only for calls on which there was a decision. */
  readonly leaves?: Leaves;
  /**
   * The definition that the model was asked with, on first replies of sessions and runs that list tools
   * (docs/adr/0013-tool-sources.md): a step that adopts the reply continues with it, and lists no tools again.
   */
  readonly definition?: string;
  /** The step may only write text: the calls of its reply were dropped. */
  readonly textOnly?: TextOnly;
  /** Tree of the session's workspace with the files that came with the input; absent if there have never been any. */
  readonly workspace?: string;
  /** The times of its step, for people: a `Timing`. */
  readonly at?: StoredTiming;
}

/** A slot that begins a new context. */
export type FoldSlot = ModelSlot & { readonly fold: Fold };

export const isFold = (slot: Slot): slot is FoldSlot => slot.kind === 'model' && slot.fold !== undefined;

/** A slot that has only an assessment. */
export type AssessmentSlot = ModelSlot & { readonly assessment: Assessment };

export const isAssessment = (slot: Slot): slot is AssessmentSlot =>
  slot.kind === 'model' && slot.assessment !== undefined;

/** The results of a reply's calls, each exactly once, in call order. */
export interface ToolsSlot {
  readonly kind: 'tools';
  readonly n: number;
  readonly runId: string;
  /** `messageId` of the reply that asked: a batch that was written for another reply does not belong to this one. */
  readonly replyTo: string;
  /**
   * `Session.eventSeq` of the commit that its step started from: a batch that was written from an earlier commit is not
   * adopted. Absent in slots of older versions.
   */
  readonly after?: number;
  readonly results: readonly ToolResult[];
  /** The system asked for the batch, not the model. */
  readonly made?: Made['by'];
  /** The note that people wrote with their decision on a plan. */
  readonly note?: string;
  readonly verdicts: readonly Spoken[];
  /** Later decisions on its calls, if the batch was open: who has approved them, and which were forbidden meanwhile. */
  readonly leaves?: Leaves;
  /** The people who have denied calls of an open batch, or answered their questions. */
  readonly saidTo?: SaidToCalls;
  /** Tree of the session's workspace after the batch; absent while the session has never had a file. */
  readonly workspace?: string;
  /** The tree as it would be with the changes proposed after the batch; absent if nothing is proposed, or that tree has no file. */
  readonly draft?: string;
  /** When its calls were run, for people: a `BatchTiming`. */
  readonly at?: StoredTiming;
  /** The `Timing` of the step that ran them, if it is not the reply's step. */
  readonly by?: StoredTiming;
}

/** Text that enters the conversation on the user's side. */
export interface InputTurn {
  /** Empty if only attachments were sent. */
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** The inbox event it came with; absent on internal text. */
  readonly eventId?: string;
  /** When and by whom it was sent. Absent if the session's model is not told. */
  readonly said?: SentFacts;
  /** Set on text of ours: it is in the model's context, and never shown to people. */
  readonly internal?: {
    readonly reason: string;
    /** Set on a message that the head of a context repeats; absent on heads of older versions. */
    readonly carries?: StoredCarried;
    /** Names of the tools that the head of a context repeats (`fold_tools`). */
    readonly tools?: readonly string[];
    /** Names of the skills that the head of a context tells the model to read again (`fold_skills`). */
    readonly skills?: readonly string[];
  };
}

/** A model reply as it is stored. */
export interface StoredReply {
  /** Our id, the same in events and snapshots. */
  readonly messageId: string;
  /** The name that its server uses. */
  readonly model: string;
  /** The number of the fallback that wrote it, from 1; absent on replies of the run's own model. */
  readonly fallback?: number;
  /** Slot of the fold with which its context began; absent if it has read the whole conversation. */
  readonly fold?: number;
  readonly stop: Stop;
  /** Content blocks as received, without calls that must not run: `callsOf` returns the others. */
  readonly content: readonly Block[];
  /**
   * Calls as they run, if that differs from `content`: the model has misspelled a name, or written arguments in a form that the
   * tool's schema does not accept. Absent if none differs.
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
  /** The model's thinking, if it is not part of `content`. */
  readonly reasoning?: string;
  /** Imported from another system (docs/history.md): it cost nothing here. `model` is `imported` if none is given. */
  readonly imported?: true;
  /** Time of the model call in ms. */
  readonly durationMs?: number;
  /** The content that guards judged, if history stores another: an adopted reply is judged by it again. */
  readonly asReceived?: readonly Block[];
  /** See {@link Reply}. */
  readonly cutCalls?: boolean;
  readonly callsComplete?: boolean;
  readonly malformed?: string;
}

/**
 * Calls that the system makes itself, in place of a reply: they run as those of a reply do. The model reads neither them nor
 * their results, but is told the outcome as input. People see them.
 */
export interface Made {
  /** Why: a gate asks for `check` (docs/proof.md), `plan` has proposed changes for people to decide on (docs/plan-mode.md). */
  readonly by: 'check' | 'plan';
  /** As in a reply. */
  readonly messageId: string;
  /** Calls, in the form of a reply's content. */
  readonly content: readonly Block[];
  /** The changes of a plan, one for each call. */
  readonly changes?: readonly Change[];
}

/** A content block of the Messages API, stored as it came, including kinds that this code does not know. */
export type Block = { readonly type: string; readonly [key: string]: unknown };

/** A call that a model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Texts about a timer, for people and the model. */
export interface TimerFacts {
  /** IANA name of the zone in which its time is told. */
  readonly zone: string;
  /** The purpose of the wait, in the model's words. */
  readonly reason?: string;
}

/** The thing that a call waits for when it has run and has no result yet. */
export type Awaits =
  /** The holder of one of its tokens answers, the session that it has begun, or a page, until then: epoch ms. */
  | {
      readonly kind: 'answer';
      readonly until: number;
      readonly child?: string;
      readonly page?: true;
      /** The first good answer of such calls of its batch ends the others. */
      readonly races?: true;
    }
  /** Nothing but the time: until then, in epoch ms, or until something comes in for the session. */
  | ({ readonly kind: 'timer'; readonly until: number } & TimerFacts)
  /** A person is asked, and then it runs again. */
  | { readonly kind: 'person'; readonly question: string };

/** The result of a call. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly outcome: 'ok' | 'error' | 'refused' | 'cancelled' | 'unknown';
  /** The text that the model reads. */
  readonly content: string;
  /** Where the whole text is stored if `content` is only its head. */
  readonly blob?: string;
  readonly durationMs: number;
  /** `content` only says that the output was left out: with the others of its batch it would have filled the context. */
  readonly leftOut?: true;
  /** Taken from an earlier equal call; nothing was run. */
  readonly cached?: boolean;
  /** `content` is the JSON of what the tool returned, rather than its text. */
  readonly json?: boolean;
  /** A guard's note about it: the model reads it with the content, people see the content alone. */
  readonly note?: ResultNote;
  /** The tool reported that its run has made progress. */
  readonly progress?: string;
  /** Set while there is no result yet: the other fields then have no meaning, and no slot has it. */
  readonly awaits?: Awaits;
  /** Its outcome is settled among the answers from outside, over what any worker of the call has stored. No slot has it. */
  readonly late?: true;
  /** The session that the call has begun. */
  readonly child?: ChildOfCall;
  /** The agent that the call gives its session to. */
  readonly handedTo?: HandedTo;
  /** The person whose page has answered it. */
  readonly answeredBy?: Speaker;
  /** Exit code of the command that the tool ran, if it returned one. */
  readonly exitCode?: number;
  /** Images that the model sees with the content. */
  readonly attachments?: readonly Attachment[];
  /** Its number among the proposed changes: nothing has changed yet. */
  readonly proposed?: number;
  /** The call's changes to the workspace, by path, if it ended `ok`. Empty if they are too many to list: its batch's tree has them. */
  readonly changes?: readonly FileChange[];
  /** The session's tasks after the call, if it has changed them and ended `ok`. */
  readonly tasks?: readonly Task[];
}

/** A file of the workspace as a call has left it. */
export interface FileChange {
  readonly path: string;
  /** SHA-256 of its content, in hex; absent if the file is gone. */
  readonly hash?: string;
  /** Size of its content; absent if the file is gone. */
  readonly bytes?: number;
  /** For a proposed change: hash of the content that it was made from; absent if there was no such file. */
  readonly from?: string;
}

/** A proposed change as people decide on it. */
export interface Change {
  /** Its call in the plan's reply. */
  readonly callId: string;
  /** The digest that a decision is bound to: the tool, its arguments as it reads them, and for files their old and new content. */
  readonly digest: string;
  /** The new state of files, if the call changes nothing else: it is applied directly, and the tool is not run again. */
  readonly files?: readonly FileChange[];
}
