/** Importing and exporting conversations: docs/history.md. */
import * as z from 'zod';
import { called } from './listing-queries.ts';
import { MessageContent } from './message.ts';
import { AgentName } from './session.ts';

/** The formats of messages: OpenAI's chat completions, Anthropic's Messages API, `UIMessage` of the AI SDK. */
export const historyFormats = ['openai', 'anthropic', 'ai-sdk'] as const;
/** The format of a conversation's messages: one of {@link historyFormats}. */
export const HistoryFormat = z.enum(historyFormats);
export type HistoryFormat = z.infer<typeof HistoryFormat>;

/**
 * Largest body of an import, in bytes. A function gets 6 MB at most, and the body in it is a JSON string: each quote
 * and line end takes one byte more.
 */
export const MAX_IMPORT_BYTES = 4_000_000;
/** Messages of one import. */
export const MAX_IMPORTED = 5_000;

/** `POST /sessions/import` */
export const ImportSession = z.strictObject({
  agent: AgentName,
  history: z.strictObject({
    format: HistoryFormat,
    /** In that format, oldest first. */
    messages: z.array(z.unknown()).min(1).max(MAX_IMPORTED),
  }),
  /** Starts a run at once; when absent, the session rests. */
  message: MessageContent.optional(),
  /** As of `POST /sessions`. */
  mode: z.enum(['act', 'plan']).optional(),
  ...called,
});
export type ImportSession = z.infer<typeof ImportSession>;

/** The parts of an import that are not in its session, by number. */
export interface LeftOut {
  /** System and developer messages: an agent has a prompt of its own. */
  readonly system: number;
  /** Thinking of models, which is bound to its account and its context. */
  readonly thinking: number;
  /** Images and files that were named by a URL or an id: the text has a note in their place. */
  readonly links: number;
  /**
   * Parts that a model can read neither as text nor as a call of an agent's tools: server tools, sources, data of a
   * page.
   */
  readonly parts: number;
}

/** The result of an import. */
export interface Imported {
  readonly sessionId: string;
  /** The same request came before, and this one changed nothing. */
  readonly duplicate: boolean;
  /** Turns of the conversation that the session starts with. */
  readonly slots: number;
  readonly leftOut: LeftOut;
  /** The event of the first message, if there was one. */
  readonly eventId?: string;
}

/** `GET /sessions/{sessionId}/export?format=&from=`: a page ends when it is large. */
export const ExportQuery = z.strictObject({
  format: HistoryFormat,
  /** `next` of the page before. */
  from: z.coerce.number().int().nonnegative().default(0),
});

/** A page of a session in another format. */
export interface ExportedPage {
  readonly format: HistoryFormat;
  readonly messages: readonly object[];
  /** Pass it as `from`; absent on the last page. */
  readonly next?: string;
}
