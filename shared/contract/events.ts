import type { AttachmentInfo } from './message.ts';
import type { Reason, State, Totals, Usage } from './session.ts';
import type { Unpriced } from './unpriced.ts';

/**
 * The public events: the part of AG-UI 1.x that a session emits.
 *
 * One user turn is one AG-UI run across many invocations; one loop step is one AG-UI step. Where AG-UI has no event,
 * the session emits `CUSTOM` with a `steploop.*` name. `test/unit/events/events.test.ts` checks this union against the schemas
 * of `@ag-ui/core`.
 */
export type AgUiEvent =
  | { type: 'RUN_STARTED'; threadId: string; runId: string }
  | { type: 'RUN_FINISHED'; threadId: string; runId: string; result: RunResult; outcome: RunOutcome }
  | { type: 'RUN_ERROR'; message: string; code: Reason }
  | { type: 'STEP_STARTED'; stepName: string }
  | { type: 'STEP_FINISHED'; stepName: string }
  | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' | 'user' }
  | { type: 'TEXT_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'TEXT_MESSAGE_END'; messageId: string }
  | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
  | { type: 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'REASONING_MESSAGE_END'; messageId: string }
  | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId?: string }
  | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
  | { type: 'TOOL_CALL_END'; toolCallId: string }
  | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
  | { type: 'MESSAGES_SNAPSHOT'; messages: SnapshotMessage[] }
  | { type: 'ACTIVITY_SNAPSHOT'; messageId: string; activityType: 'steploop.folded'; content: Folded }
  | CustomEvent;

/** How a run ended, in AG-UI's terms. Failed runs end in `RUN_ERROR` instead. */
export type RunOutcome =
  | { type: 'success' }
  | { type: 'cancelled' }
  | { type: 'interrupt'; interrupts: Interrupt[] };

/** A wait of a run: a person answers with the id (`POST /sessions/{id}/decisions`). */
export interface Interrupt {
  id: string;
  /** `approval`, `question`, or the reason of a run that a message continues. */
  reason: string;
  message?: string;
  toolCallId?: string;
  /** ISO 8601; from then on it counts as denied or unanswered. */
  expiresAt?: string;
  /** Set if the approver may also allow later calls like it: the `grant` of a decision (docs/leave.md). */
  metadata?: { grantable: true };
}

/** The result of a run: carried by `RUN_FINISHED` and by `steploop.ended`. */
export interface RunResult<Answer = unknown> {
  success: boolean;
  state: State;
  reason: Reason;
  steps: number;
  toolCalls: number;
  totals: Totals;
  /** Why the run did not succeed, or what its answer lacks, in words; and the guard that said so, with its code. */
  message?: string;
  code?: string;
  guard?: string;
  /**
   * Set when the answer was cut, whether or not it was continued: the ids of its messages, and their joined texts, up
   * to 8,000 characters.
   */
  answer?: { messageIds: string[]; text: string };
  /**
   * The answer of an agent that declares one (`defineAgent({ answer })`), checked: up to 16,000 characters of JSON.
   * Absent when the run has no answer, and for agents that answer with text.
   */
  object?: Answer;
  /** The model's summary, written when it was asked to wrap up. */
  summary?: WrapUpSummary;
  /**
   * Tasks of the session's list that are not done; blocked ones are among the pending ones. Absent when there are none.
   */
  openTasks?: { pending: number; inProgress: number; blocked: number };
}

/** The summary that a run gives of itself when it is asked to wrap up. */
export interface WrapUpSummary {
  findings: string[];
  actionsTaken: string[];
  failures: string[];
  remainingWork: string[];
  suggestedNextSteps: string[];
}

/** A message as clients see it: nothing internal, no thinking. */
export type SnapshotMessage =
  | { id: string; role: 'user'; content: string; attachments?: AttachmentInfo[] }
  | {
      id: string;
      role: 'assistant';
      content?: string;
      toolCalls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
      /** The system made these calls, not the model: `check` must pass before an answer is accepted. */
      made?: 'check' | 'plan';
    }
  | { id: string; role: 'tool'; toolCallId: string; content: string; attachments?: AttachmentInfo[] }
  | FoldMessage;

/** The place among the messages where the context was compacted: all messages before it stay as they are. */
export interface FoldMessage {
  /** `fold-` and the slot. */
  id: string;
  role: 'activity';
  activityType: 'steploop.folded';
  content: Folded;
}

/**
 * The loop's events beyond AG-UI; docs/events.md has the whole mapping. `steploop.reconnect` ends an SSE response in
 * the middle of a run, with the cursor: connect again.
 */
export type CustomEvent =
  | { type: 'CUSTOM'; name: 'steploop.attached'; value: Attached }
  | { type: 'CUSTOM'; name: 'steploop.usage'; value: StepUsage }
  | { type: 'CUSTOM'; name: 'steploop.guard'; value: GuardNotice }
  | { type: 'CUSTOM'; name: 'steploop.retry'; value: RetryNotice }
  | { type: 'CUSTOM'; name: 'steploop.provider_switch'; value: ProviderSwitch }
  | { type: 'CUSTOM'; name: 'steploop.aborted'; value: { messageIds: string[]; why: string } }
  | { type: 'CUSTOM'; name: 'steploop.omitted'; value: OmittedNotice }
  /** The model's server ran tools of its own for a reply, or the reply cites sources. */
  | { type: 'CUSTOM'; name: 'steploop.server_tools'; value: ServerToolsRan }
  | { type: 'CUSTOM'; name: 'steploop.recovered'; value: Recovery }
  | { type: 'CUSTOM'; name: 'steploop.recovery'; value: RecoveryNotice }
  | { type: 'CUSTOM'; name: 'steploop.tenant_budget'; value: TenantBudgetNotice }
  | { type: 'CUSTOM'; name: 'steploop.progress'; value: CallProgress }
  | { type: 'CUSTOM'; name: 'steploop.skill'; value: SkillRead }
  | { type: 'CUSTOM'; name: 'steploop.handoff'; value: HandedOver }
  | { type: 'CUSTOM'; name: 'steploop.folding'; value: Folding }
  | { type: 'CUSTOM'; name: 'steploop.folded'; value: Folded }
  | { type: 'CUSTOM'; name: 'steploop.assessed'; value: Assessed }
  | { type: 'CUSTOM'; name: 'steploop.tools_missing'; value: ToolsMissing }
  | { type: 'CUSTOM'; name: 'steploop.tools_omitted'; value: ToolsOmitted }
  | { type: 'CUSTOM'; name: 'steploop.server_rule'; value: ServerRule }
  | { type: 'CUSTOM'; name: 'steploop.files'; value: FilesChanged }
  | { type: 'CUSTOM'; name: 'steploop.tasks'; value: TaskList }
  | { type: 'CUSTOM'; name: 'steploop.snapshot_needed'; value: { why: string } }
  | { type: 'CUSTOM'; name: 'steploop.reconnect'; value: { after: number } }
  | { type: 'CUSTOM'; name: 'steploop.decided'; value: Decided }
  | { type: 'CUSTOM'; name: 'steploop.decided_before'; value: DecidedBefore }
  | { type: 'CUSTOM'; name: 'steploop.ended'; value: RunResult };

/** Attachments of a message, sent right after it: the user's, or the result of a call. */
export interface Attached {
  messageId: string;
  attachments: AttachmentInfo[];
}

/**
 * The progress of a call, reported by its tool, or by the outside process that answers it later: five times a second at
 * most.
 */
export interface CallProgress {
  toolCallId: string;
  /** Up to 500 characters. */
  message: string;
  /** From 0 to 1; absent when the tool does not know. */
  share?: number;
}

/** A call has read a skill, or a file of it (docs/skills.md). */
export interface SkillRead {
  toolCallId: string;
  /** Its name; that of a skill in the workspace begins with `workspace:`. */
  skill: string;
  /** The beginning of the hash of its files; absent for a skill in the workspace. */
  version?: string;
  /** The file that was read; absent when it was the instructions. */
  path?: string;
}

/** An agent has given the session to another, which answers from now on (docs/handoffs.md). Its note is an argument of the call. */
export interface HandedOver {
  toolCallId: string;
  /** Names of agents. */
  from: string;
  to: string;
}

/** The context is being compacted: sent at the beginning, and about every second while a summary is written. */
export interface Folding {
  why: FoldReason;
  /** Estimated size of the current request. */
  tokens: number;
  /** Characters of the summary so far. */
  chars: number;
}

/** The context was compacted: the model reads less. People still see the whole conversation. */
export interface Folded {
  /** The transcript's slot in which it happened. */
  slot: number;
  why: FoldReason;
  /** Estimated size of the request before and after. */
  tokens: { before: number; after: number };
  /** The part that the model no longer reads, since the conversation began; its tokens are an estimate. */
  left: { messages: number; tokens: number };
  /** USD for the summary; 0 when none was bought. */
  costUsd: number;
  /** The model that wrote the summary, as its server names it; absent when none was bought. */
  model?: string;
  /** The text that the model reads in place of the omitted part; absent when it is only told how much that was. */
  summary?: string;
}

/** A model was asked whether the run makes progress (docs/guards.md). */
export interface Assessed {
  /** The transcript's slot that has it. */
  slot: number;
  /** `unclear`: the question failed, or got no valid answer. */
  finding: 'done' | 'going_on' | 'stuck' | 'unclear';
  /** The reason in the words of the model that was asked, at most 300 characters. */
  why: string;
  /** USD for the question; 0 if no reply came. */
  costUsd: number;
  /** The model that was asked, as its server names it; absent if no reply came. */
  model?: string;
}

/**
 * `size`: the context had come near the model's limit. `refused`: the model refused it as too long. `exhausted`: it
 * left no room for the reply. `budget`: the run is granted more of its budget, for a smaller context. `thinking`:
 * earlier thinking was refused.
 */
export type FoldReason = 'size' | 'refused' | 'exhausted' | 'budget' | 'thinking';

/** A session runs without the tools of an optional source, which could not list them when it began. */
export interface ToolsMissing {
  source: string;
  /** The reason, in words. */
  why: string;
}

/**
 * Single tools of a source that are left out of the session: they could not be converted when they were listed, or the
 * model's server refused the declaration. `agent` is the source of an agent's own tools. Each is reported once.
 */
export interface ToolsOmitted {
  source: string;
  /** At most 50. */
  tools: { tool: string; why: string }[];
  /** How many more were left out; absent when these are all. */
  more?: number;
}

/**
 * The model's server has refused a request, and named its own rule that the request broke. Later requests of the
 * session follow that rule.
 */
export interface ServerRule {
  server: string;
  model: string;
  /** The rule's name. */
  rule: string;
  /** The consequence for requests, in words. */
  what: string;
}

/** A batch of calls, or attachments of a message, changed files of the session's workspace. */
export interface FilesChanged {
  /** The transcript's slot whose version of the workspace has these changes. */
  slot: number;
  /** Files that have changed. */
  count: number;
  /** The first of them, at most 20; `bytes` is absent when the file is gone. */
  changed: { path: string; bytes?: number }[];
}

/** The session's task list has changed: its new content. */
export interface TaskList {
  tasks: TaskInfo[];
}

/** A task of a session's list. */
export interface TaskInfo {
  /** From 1. */
  id: number;
  title: string;
  state: 'open' | 'in_progress' | 'blocked' | 'done';
  /** For a blocked task: what it waits for. */
  why?: string;
}

/** The outcome of an interrupt. */
export interface Decided {
  id: string;
  toolCallId: string;
  outcome: 'approved' | 'denied' | 'answered' | 'expired' | 'cancelled';
  /** The person who decided; absent when no person did. */
  by?: string;
  /** For a plan that was approved in part: the numbers of the approved changes, from 1. */
  changes?: number[];
}

/**
 * An answer to an interrupt had no effect, because the decision was made before. Sent over SSE only, to the sender of
 * the answer.
 */
export interface DecidedBefore {
  id: string;
  /** The decision that stands, in words. */
  detail: string;
}

/** Tokens and price of one step. */
export interface StepUsage {
  step: number;
  model: string;
  usage: Usage;
  /** USD for this step's model call. */
  costUsd: number;
  /**
   * USD for the infrastructure of this step: its function's time, its writes and reads, messages and pushes
   * (docs/cost.md).
   */
  infraUsd?: number;
  /** USD for both. */
  togetherUsd?: number;
  /** Tokens that the model's server removed from the model's input (context strategy `server`). */
  cleared?: number;
  /** The server reported no usage, or only a part of it: these figures are estimates. */
  estimated?: true;
  /** Parts of this call's bill, known or possible, that are not in `costUsd` (docs/cost.md). Absent when there are none. */
  notInPrice?: readonly Unpriced[];
  /** The run's totals, this step included. */
  totals: Totals;
}

/**
 * Tools that the model's server ran for one reply (`model.serverTools`), and the sources that the reply cites. At most
 * 50 of each.
 */
export interface ServerToolsRan {
  /** The id of the reply. */
  messageId: string;
  calls: ServerToolCall[];
  citations: Citation[];
}

/** A call that ran at the model's server. Texts are cut at 500 characters. */
export interface ServerToolCall {
  id: string;
  name: string;
  /** As JSON. */
  input: string;
  /** `open`: the reply has no result, because the server paused its turn. */
  outcome: 'ok' | 'error' | 'open';
}

/** A source that a reply cites. Texts are cut at 500 characters. */
export interface Citation {
  url?: string;
  title?: string;
  /** The words that are cited. */
  text?: string;
}

/** From now on, the model reads a notice in place of a part of the conversation. People still see that part. */
export interface OmittedNotice {
  /** `refused`: the model's server does not answer to it. `malformed`: it accepts no request with it. */
  why: 'refused' | 'malformed';
  parts: OmittedPart[];
  /** A sentence. */
  message: string;
}

/** A part of the transcript. */
export interface OmittedPart {
  /** The transcript's slot. */
  slot: number;
  /** `media`: attachments of messages or results. */
  part: 'input' | 'reply' | 'results' | 'media';
}

/** A new owner has taken over a step whose owner died. */
export interface Recovery {
  attempt: number;
  /** The dead attempt's reply was kept, and is used. */
  adopted: boolean;
  /**
   * Seq of the last frame of the dead attempts that this one knew of and has closed. Frames above it and below this
   * epoch were logged too late, by an owner that did not know it was dead: readers must ignore them.
   */
  upTo: number;
}

/** A run continues that a guard was about to end. */
export interface RecoveryNotice {
  /** `empty_response`, `infinite_loop`, `bash_failure`, `malformed_tool_call` or `context_exhaustion`. */
  scenario: string;
  /** The guard's code. */
  code: string;
  /** The number of this recovery among those of its kind in the run, from 1, and among all. */
  attempt: number;
  total: number;
}

/** A model call was not made, because it might have exceeded the tenant's limit of the day. */
export interface TenantBudgetNotice {
  tenant: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  exceeded: 'tokens' | 'usd' | 'steps';
  /** The day's limit: tokens, USD or steps. */
  limit: number;
}

/** A guard's verdict. */
export interface GuardNotice {
  guard: string;
  /** `allow`: a rule says that it is off. `check`: the system calls a tool itself before an answer is accepted. */
  action: 'allow' | 'check' | 'nudge' | 'warn' | 'block' | 'skip_calls' | 'text_only' | 'halt';
  code: string;
  /** A sentence for people: the text for the model is separate, and only the model gets it. */
  message: string;
  /** The tool and the count that the rule looked at, and the numbers at which it acts. */
  metadata?: { tool?: string; count?: number; limits?: Record<string, number> };
}

/** The model's server failed and the step will be retried, without compute in between. */
export interface RetryNotice {
  code: string;
  message: string;
  /** Failed tries of this step; requests that were not made, because others had met a rate limit, do not count. */
  retry: number;
  delayMs: number;
  /** ISO 8601. */
  nextTryAt: string;
  /**
   * ISO 8601: if the failures continue, the run ends then, or when its tries are used up too; absent when only tries
   * decide.
   */
  givesUpAt?: string;
}

/** A model failed, and another one takes over the rest of the run. */
export interface ProviderSwitch {
  from: ModelName;
  to: ModelName;
  why: string;
}

/** A model as its agent's definition names it. */
export interface ModelName {
  provider: string;
  server: string;
  model: string;
}

/**
 * A message to a WebSocket client. `seq` rises across all invocations of a session. `prev` is the seq of the frame
 * before it in the same line; after an attempt that died, of the last frame that it had logged. If a frame's `prev` is
 * above the last seq that a client holds, there is a gap. If it is below it, the frames after `prev` came from an
 * attempt that died, and were not logged.
 */
export interface Frame {
  readonly seq: number;
  readonly prev: number;
  readonly event: AgUiEvent;
}
