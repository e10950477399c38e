import { scopesFor } from '../../../shared/slack/scopes.ts';
import { createModals, type Modals } from './modals.ts';
import type { StreamedPlan } from './stream-rules.ts';

/** The state of the emulated Slack beyond that of the emulator. */
export interface Shown {
  /** The text so far of messages that are being streamed, by `ts`. */
  readonly streaming: Map<string, string>;
  /** Task cards of streams that have them, by `ts`. */
  readonly plans: Map<string, StreamedPlan>;
  /** App Homes by user id. */
  readonly homes: Map<string, unknown>;
  /** Conversations of the assistant's pane, by `ts` of their first message. */
  readonly panes: Map<string, { prompts?: unknown; title?: string; status?: string }>;
  readonly modals: Modals;
  /** Ephemeral messages. */
  readonly whispered: { user: string; text: string }[];
  /** Methods that answer 429, how many times, and the seconds of `Retry-After`. */
  readonly limits: Map<string, { times: number; seconds: number }>;
  readonly refusals: Map<string, { times: number; error: string }>;
  /** Messages of the app that a person has deleted. */
  readonly removed: Set<string>;
  readonly threadsOfReplies: Map<string, string>;
  /** The scopes of the app's token. */
  scopes: readonly string[];
  /** The `authorization` of the app's last call. */
  appAuthorization: string;
}

export const nothingShown = (): Shown => ({
  streaming: new Map(),
  plans: new Map(),
  homes: new Map(),
  panes: new Map(),
  modals: createModals(),
  whispered: [],
  limits: new Map(),
  refusals: new Map(),
  removed: new Set(),
  threadsOfReplies: new Map(),
  scopes: scopesFor({ assistant: true, reactions: true }),
  appAuthorization: '',
});
