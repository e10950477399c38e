/**
 * The chunks of Vercel's AI SDK (its UI message stream, v1) that a session sends with `POST /chat`.
 * `test/unit/pages/chat-line.test.ts` checks them against the schema of the package `ai`, and against the messages that it
 * builds from them.
 */

import type {
  Assessed,
  Decided,
  DecidedBefore,
  FilesChanged,
  Folded,
  Folding,
  GuardNotice,
  HandedOver,
  Interrupt,
  OmittedNotice,
  ProviderSwitch,
  RecoveryNotice,
  RetryNotice,
  RunResult,
  ServerRule,
  ServerToolsRan,
  SkillRead,
  StepUsage,
  TaskList,
  TenantBudgetNotice,
  ToolsMissing,
  ToolsOmitted,
} from '../events.ts';
import type { AttachmentInfo } from '../message.ts';
import type { ChatResume } from './state.ts';

/** The data of parts of the type `data-steploop-…`, by the rest of the type after `data-`. */
export interface SteploopData {
  /** A verdict of a guard: a sentence for people. */
  'steploop-guard': GuardNotice;
  /** Tokens and price of one step, and of the run so far. */
  'steploop-usage': StepUsage;
  /** A wait of the run. An approval or a question is part of its tool call as well. */
  'steploop-wait': Interrupt;
  /** The outcome of a wait, and who decided. */
  'steploop-decided': Decided;
  /** An answer had no effect, because the decision was made before. */
  'steploop-decided-before': DecidedBefore;
  /** How the run ended: its totals, and the object of an agent that declares its answer. */
  'steploop-result': RunResult;
  /** Another person has sent a message to the session meanwhile. */
  'steploop-said': { id: string; text: string };
  /** Attachments of a call's result; `url` is valid for an hour. */
  'steploop-attached': { toolCallId: string; attachments: (AttachmentInfo & { url?: string })[] };
  /** The session's task list, as it is now. */
  'steploop-tasks': TaskList;
  /** Files of the workspace have changed. */
  'steploop-files': FilesChanged;
  /** A call has read a skill. */
  'steploop-skill': SkillRead;
  'steploop-handoff': HandedOver;
  /** The context was compacted. */
  'steploop-folded': Folded;
  /** A model was asked whether the run makes progress. */
  'steploop-assessed': Assessed;
  'steploop-tools-missing': ToolsMissing;
  'steploop-tools-omitted': ToolsOmitted;
  /** The model's server requires something that its API does not document. */
  'steploop-server-rule': ServerRule;
  /** Another model takes over the rest of the run. */
  'steploop-provider-switch': ProviderSwitch;
  /** The run continues where a guard was about to end it. */
  'steploop-recovery': RecoveryNotice;
  /** From now on, the model reads a notice in place of a part of the conversation. */
  'steploop-omitted': OmittedNotice;
  'steploop-server-tools': ServerToolsRan;
  /** The tenant's limit of the day is reached. */
  'steploop-tenant-budget': TenantBudgetNotice;
}

/** The data of transient parts: `onData` gets them, and no message keeps them. */
export interface SteploopPassing {
  /** The progress of a call. */
  'steploop-progress': { toolCallId: string; message: string; share?: number };
  /** The model's server failed, and the step is retried. */
  'steploop-retry': RetryNotice;
  'steploop-folding': Folding;
  /** The answer ends before the run does: `POST /chat/{chatId}/stream` continues from here. */
  'steploop-reconnect': ChatResume;
}

type DataChunk<Data, More> = {
  [Name in keyof Data & string]: { type: `data-${Name}`; id?: string; data: Data[Name] } & More;
}[keyof Data & string];

/** One chunk. */
export type ChatChunk =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' | 'finish-step' | 'reset-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; providerExecuted: boolean }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available';
      toolCallId: string;
      toolName: string;
      input: unknown;
      providerExecuted: boolean;
    }
  | {
      type: 'tool-approval-request';
      approvalId: string;
      toolCallId: string;
      reason?: string;
      approvalDescriptor?: Pick<Interrupt, 'expiresAt' | 'metadata'>;
    }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; providerExecuted: boolean }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; providerExecuted: boolean }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'file'; url: string; mediaType: string }
  | DataChunk<SteploopData, unknown>
  | DataChunk<SteploopPassing, { transient: true }>
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason: string }
  | { type: 'finish'; finishReason: 'stop' | 'tool-calls' | 'interrupted' | 'other' };
