import type { Cache } from '../config/cache.ts';
import type { DialectName } from '../config/model.ts';
import type { ServerTool } from '../config/server-tools.ts';
import type { PinnedAnswer, PinnedTool } from '../session/pinned.ts';
import type { ModelOutcome } from '../session/reply.ts';
import type { Block } from '../session/slots.ts';

/** The model. Never rejects; when `signal` aborts it resolves soon with what is whole (`interrupted`). */
export interface Provider {
  complete(
    request: ModelRequest,
    onDelta: (delta: Delta) => void,
    signal: AbortSignal,
  ): Promise<ModelOutcome>;
}

/** A request to the model, as plain data. */
export interface ModelRequest {
  readonly provider: string;
  readonly server: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly request: Readonly<Record<string, unknown>>;
  /** What its server wants beyond the API, where the agent says it. */
  readonly dialect?: DialectName;
  /** Rules of that kind which its server has taught this session by refusing a request: their names. */
  readonly serverRules?: readonly string[];
  /** See `PinnedModel`. */
  readonly cache?: Cache;
  /** See `PinnedModel`. */
  readonly serverTools?: readonly ServerTool[];
  readonly system: string;
  readonly tools: readonly PinnedTool[];
  readonly messages: readonly Message[];
  /** What the server is to leave out by itself; a provider whose server knows nothing of the kind takes no notice. */
  readonly editing?: ContextEditing;
  /**
   * What the reply is to be when it calls nothing: one JSON object that fits `schema`. `system` says so too, so a provider whose
   * server knows nothing of the kind takes no notice.
   */
  readonly answer?: PinnedAnswer;
}

/** Results of tools that a model's server leaves out of what the model reads (strategy `server`). In tokens of the request. */
export interface ContextEditing {
  /** It does so above these. */
  readonly above: number;
  /** It leaves out so many at least, or nothing. */
  readonly atLeast: number;
  /** Newest results that stay. */
  readonly keepResults: number;
}

/** One message of the conversation, as a model reads it. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** A piece of a streamed reply that people may see while it comes. */
export type Delta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string };
