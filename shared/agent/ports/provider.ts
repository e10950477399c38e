import type { Cache } from '../config/cache.ts';
import type { DialectName } from '../config/model.ts';
import type { ServerTool } from '../config/server-tools.ts';
import type { PinnedAnswer, PinnedTool } from '../session/pinned.ts';
import type { ModelOutcome } from '../session/reply.ts';
import type { ShapeWork } from '../session/shape-work.ts';
import type { Block } from '../session/slots.ts';

/** The model. Never rejects; when `signal` aborts, it resolves soon with the complete parts (`interrupted`). */
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
  /** The server's requirements beyond the API, if the agent names them. */
  readonly dialect?: DialectName;
  /** Further requirements that its server has revealed in this session by refusing a request: their names. */
  readonly serverRules?: readonly string[];
  /** See `PinnedModel`. */
  readonly cache?: Cache;
  /** See `PinnedModel`. */
  readonly serverTools?: readonly ServerTool[];
  readonly system: string;
  readonly tools: readonly PinnedTool[];
  readonly messages: readonly Message[];
  /** Content that the server is to leave out by itself; a provider whose server does not support this ignores it. */
  readonly editing?: ContextEditing;
  /**
   * The required form of a reply without calls: one JSON object that fits `schema`. `system` says so too, so a provider whose
   * server does not support this ignores it.
   */
  readonly answer?: PinnedAnswer;
  /** Only for shapes: what they decide by (docs/shapes.md). */
  readonly work?: ShapeWork;
}

/** Tool results that a model's server leaves out of the model's input (strategy `server`). In tokens of the request. */
export interface ContextEditing {
  /** The size above which it does so. */
  readonly above: number;
  /** It leaves out at least this many tokens, or nothing. */
  readonly atLeast: number;
  /** The number of newest results that stay. */
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
