/** Conversations that come from elsewhere, and go there: docs/history.md. */
import * as z from 'zod';
import { called } from './listing-queries.ts';
import { MessageContent } from './message.ts';
import { AgentName } from './session.ts';

/** Whose messages: OpenAI's chat completions, Anthropic's Messages API, `UIMessage` of the AI SDK. */
export const historyFormats = ['openai', 'anthropic', 'ai-sdk'] as const;
/** Whose messages a conversation is made of: one of {@link historyFormats}. */
export const HistoryFormat = z.enum(historyFormats);
export type HistoryFormat = z.infer<typeof HistoryFormat>;

/**
 * Largest body of an import, in bytes. A function is handed 6 MB at most, in which the body is a JSON string: each quote and line end
 * of it is one byte more.
 */
export const MAX_IMPORT_BYTES = 4_000_000;
/** Messages of one import. */
export const MAX_IMPORTED = 5_000;

/** `POST /sessions/import` */
export const ImportSession = z.strictObject({
  agent: AgentName,
  history: z.strictObject({
    format: HistoryFormat,
    /** As the format has them, oldest first. */
    messages: z.array(z.unknown()).min(1).max(MAX_IMPORTED),
  }),
  /** Begins a run at once; the session rests when absent. */
  message: MessageContent.optional(),
  /** As of `POST /sessions`. */
  mode: z.enum(['act', 'plan']).optional(),
  ...called,
});
export type ImportSession = z.infer<typeof ImportSession>;

/** What of an import is not in its session, by number. */
export interface LeftOut {
  /** System and developer messages: an agent has a prompt of its own. */
  readonly system: number;
  /** What models have thought: it is bound to the account and the context that it was thought in. */
  readonly thinking: number;
  /** Images and files that were named by a URL or an id: their place says so in the text. */
  readonly links: number;
  /** Parts that no model reads as text or as a call of an agent's tools: tools of a server, sources, data of a page. */
  readonly parts: number;
}

/** What an import has come to. */
export interface Imported {
  readonly sessionId: string;
  /** The same request came before, and this one changed nothing. */
  readonly duplicate: boolean;
  /** Turns of the conversation that the session has begun with. */
  readonly slots: number;
  readonly leftOut: LeftOut;
  /** Of the first message, where there was one. */
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
