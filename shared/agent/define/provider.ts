/**
 * What a provider is: how one API of models is spoken over HTTP. The two inside (`shared/models/`) fulfil the same
 * contract as one that a project brings; what is the same for all of them (keys, silence, failures) is not theirs.
 */

import * as z from 'zod';
import type { Usage } from '../../contract/session.ts';
import type { Delta, Message, ModelRequest } from '../ports/provider.ts';
import type { Reply, Used } from '../session/reply.ts';

/** JSON of which nothing is certain. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Where a model server is, and how its key is sent. */
export interface ServerAddress {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly auth: 'bearer' | 'x-api-key' | 'both';
  /** The headers that carry the key, as `auth` says. */
  headers(key: string): Record<string, string>;
  /**
   * The platform's `fetch`, but for redirects: only a 307 or 308 within the origin is followed, so that a conversation and a key go nowhere
   * else. Use this one.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** How one API is spoken. */
export interface Protocol {
  /**
   * Sends the request; resolves when the server has answered with a success. Rejects with whatever `errors` can read: an
   * error of an SDK, or of your own that holds the answer. Never tries again by itself: the queue does, without compute.
   */
  send(request: ModelRequest, key: string, signal: AbortSignal): Promise<Response>;
  /**
   * The events of a streamed answer. A sign of life that says nothing is undefined, or a call of `alive`. Throws
   * {@link StreamFault} on an error in the stream, on broken JSON, and when the connection breaks or is aborted.
   */
  events(response: Response, alive: () => void): AsyncGenerator<JsonObject | undefined>;
  assemble(request: ModelRequest): Assembly;
  readonly errors: Dialect;
  /** Longest wait, in ms, for what may still come once the message has ended, and for the end of the body. */
  readonly lingerMs: number;
}

/** Builds one reply from the events of its stream. */
export interface Assembly {
  /** Takes the next event, and returns what people may see of it. Unknown events change nothing. */
  take(event: JsonObject): readonly Delta[];
  /** Whether any event of a message has come. */
  begun(): boolean;
  /** Whether the server has said that the message is at its end. */
  finished(): boolean;
  /** What could not be used of the usage that the server told; undefined when all could. */
  complaint(): string | undefined;
  /** What the server has told of usage by now, of a reply that broke; undefined when it has told nothing. */
  used(): Used | undefined;
  /** The reply; undefined unless it is finished and says why it stopped: a body that ends is no end of a message. */
  whole(): Reply | undefined;
  /**
   * The reply of a server that ended the body inside a call, as if that were an end: a truncation (A19, T18). Undefined when
   * no call was open.
   */
  cutInCall(): Reply | undefined;
  /** What is whole of a reply that we ended. */
  interrupted(): Reply;
}

/** How one API tells errors: of this it is decided who must act, and whether waiting helps (A8). */
export interface Dialect {
  /** The server's answer that this error was made of; undefined when there was none. */
  answerOf(error: unknown): Answer | undefined;
  /** Whether the server could not be reached. */
  isUnreachable(error: unknown): boolean;
  /** The status that an error in the middle of a stream would have had. */
  statusOfEvent(body: JsonObject): number;
  said(answer: Answer): Said;
}

/** An error as a server tells it, by status or by event. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers | undefined;
}

/** What an error's body says. */
export interface Said {
  /** The API's own word for it. */
  readonly code: string;
  readonly message: string;
  /** Set when no waiting cures it, whatever the status: money or permission. */
  readonly account: boolean;
  /**
   * Set when the request does not fit into the model's window: a smaller one may be answered. Only for words and codes of your
   * own: a 413, and the wording of every server that is known, are recognised by `code` and `message`.
   */
  readonly tooLong?: TooLong;
  /** Set when the thinking in the request is not valid in it, so that the same request without may be answered. */
  readonly thinkingMismatch?: boolean;
  /** Name of the rule that a refused request has broken. Only the built-in Chat Completions provider knows rules. */
  readonly rule?: string | undefined;
}

/** A request that was refused for its length, in tokens, where the server says them. */
export interface TooLong {
  /** Of the request, and of the reply that it may have where the server counts both. */
  readonly sent?: number;
  /** That the model, or the account, takes at once. */
  readonly most?: number;
}

/** What went wrong with a stream that had begun with a 200. */
export type Fault =
  | { readonly kind: 'error_event'; readonly body: JsonObject }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'stalled'; readonly idleMs: number };

/** Thrown by {@link Protocol.events}. */
export class StreamFault extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.kind);
    this.fault = fault;
  }
}

/** What every provider needs in the same way. */
export interface ProviderKit {
  /**
   * Ids for the calls of one reply: the server's own where it is new in the conversation and other servers take it, else
   * one made of the call's place, the same for the same reply (A7).
   */
  callIds(messages: readonly Message[]): (given?: string) => string;
  /** A tool's name as every server takes it back. */
  callName(given: string | undefined): string;
  /**
   * What a call has used: as told, and estimated where nothing was (A9).
   *
   * @param told tokens, without what is not known
   * @param written characters that the model has written
   */
  usedOf(told: Partial<Usage>, request: ModelRequest, written: number): Used;
}

/** A provider: what `defineProvider` takes, and what it makes. */
export interface ProviderDefinition {
  /** Makes the protocol for one server. Called once for each server, in each environment, when it is first asked. */
  readonly protocol: (server: ServerAddress, kit: ProviderKit) => Protocol;
  /** How long a server may say nothing, in ms, until the call is given up: 60,000 when absent. */
  readonly idleMs?: number;
}

const Declared = z.strictObject({
  protocol: z.custom((value) => typeof value === 'function', 'must be a function'),
  idleMs: z.int().positive().optional(),
});

/** Declares a provider. Throws when the declaration is not valid, and says why. What it brings is code of yours, and runs in the step function. */
export function defineProvider(provider: ProviderDefinition): ProviderDefinition {
  const parsed = Declared.safeParse(provider);
  if (!parsed.success) throw new Error(`provider: ${z.prettifyError(parsed.error)}`);
  return Object.freeze({ ...provider });
}
