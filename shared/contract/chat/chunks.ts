/**
 * The chunks of Vercel's AI SDK (its UI message stream, v1), as far as a session tells them: `POST /chat` sends these.
 * `test/unit/chat-line.test.ts` holds them against the schema of the package `ai`, and against what it makes of them.
 */

import type {
  Decided,
  DecidedBefore,
  FilesChanged,
  Folded,
  Folding,
  GuardNotice,
  Interrupt,
  OmittedNotice,
  ProviderSwitch,
  RecoveryNotice,
  RetryNotice,
  RunResult,
  ServerRule,
  ServerToolsRan,
  StepUsage,
  TaskList,
  TenantBudgetNotice,
  ToolsMissing,
  ToolsOmitted,
} from '../events.ts';
import type { AttachmentInfo } from '../message.ts';
import type { ChatResume } from './state.ts';

/** The data of parts of the type `data-steploop-…`, by what follows `data-`. */
export interface SteploopData {
  /** A guard spoke: a sentence for people. */
  'steploop-guard': GuardNotice;
  /** Tokens and price of one step, and of the run so far. */
  'steploop-usage': StepUsage;
  /** What the run waits for. An approval or a question is part of its tool call as well. */
  'steploop-wait': Interrupt;
  /** What became of it, and who has decided. */
  'steploop-decided': Decided;
  /** An answer had no effect: it was decided before. */
  'steploop-decided-before': DecidedBefore;
  /** How the run ended: its totals, and the object of an agent that declares its answer. */
  'steploop-result': RunResult;
  /** Somebody else has said something to the session meanwhile. */
  'steploop-said': { id: string; text: string };
  /** What came with the result of a call; `url` is good for an hour. */
  'steploop-attached': { toolCallId: string; attachments: (AttachmentInfo & { url?: string })[] };
  /** The session's list of tasks, as it is now. */
  'steploop-tasks': TaskList;
  /** Files of the workspace have changed. */
  'steploop-files': FilesChanged;
  /** What the model reads was made smaller. */
  'steploop-folded': Folded;
  'steploop-tools-missing': ToolsMissing;
  'steploop-tools-omitted': ToolsOmitted;
  /** The model's server wants something that its API does not say. */
  'steploop-server-rule': ServerRule;
  /** The rest of the run is another model's. */
  'steploop-provider-switch': ProviderSwitch;
  /** The run goes on where a guard was about to end it. */
  'steploop-recovery': RecoveryNotice;
  /** The model reads a notice in place of a part of the conversation from now on. */
  'steploop-omitted': OmittedNotice;
  'steploop-server-tools': ServerToolsRan;
  /** The tenant's limit of the day is reached. */
  'steploop-tenant-budget': TenantBudgetNotice;
}

/** The data of parts that pass: `onData` is given them, and no message keeps them. */
export interface SteploopPassing {
  /** How far a call is. */
  'steploop-progress': { toolCallId: string; message: string; share?: number };
  /** The model's server failed, and the step is tried again. */
  'steploop-retry': RetryNotice;
  'steploop-folding': Folding;
  /** The answer ends before the run does: `POST /chat/{chatId}/stream` goes on from here. */
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
