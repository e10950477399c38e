/**
 * A provider: how one model API is spoken over HTTP. The built-in ones (`shared/models/`) fulfil the same contract as a
 * project's own. A provider does not handle what is the same for all of them: keys, silence, failures.
 */

import * as z from 'zod';
import type { Usage } from '../../contract/session.ts';
import { once } from '../plain/once.ts';
import type { Delta, Message, ModelRequest } from '../ports/provider.ts';
import type { Reply, Used } from '../session/reply.ts';

/** JSON whose shape is not checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Where a model server is, and how its key is sent. */
export interface ServerAddress {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly auth: 'bearer' | 'x-api-key' | 'both';
  /** The headers that carry the key, as `auth` says. */
  headers(key: string): Record<string, string>;
  /**
   * The platform's `fetch`, except for redirects: only a 307 or 308 within the origin is followed, so that a conversation and a
   * key go nowhere else. Use this one.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** How one API is spoken. */
export interface Protocol {
  /**
   * Sends the request; resolves when the server has answered with a success. Rejects with anything that `errors` can read: an
   * error of an SDK, or your own error that holds the answer. Never retries by itself: the queue does, without compute.
   */
  send(request: ModelRequest, key: string, signal: AbortSignal): Promise<Response>;
  /**
   * The events of a streamed answer. A sign of life without content is undefined, or a call of `alive`. Throws {@link
   * StreamFault} on an error in the stream, on broken JSON, and when the connection breaks or is aborted.
   */
  events(response: Response, alive: () => void): AsyncGenerator<JsonObject | undefined>;
  assemble(request: ModelRequest): Assembly;
  readonly errors: Dialect;
  /** Longest wait, in ms, for late events after the message has ended, and for the end of the body. */
  readonly lingerMs: number;
}

/** Builds one reply from the events of its stream. */
export interface Assembly {
  /** Takes the next event, and returns the parts that people may see. Unknown events change nothing. */
  take(event: JsonObject): readonly Delta[];
  /** Whether any event of a message has come. */
  begun(): boolean;
  /** Whether the server has said that the message is complete. */
  finished(): boolean;
  /** The part of the server's usage report that could not be used; undefined if all of it could. */
  complaint(): string | undefined;
  /** The usage that the server has reported so far, for a reply that broke; undefined if it has reported none. */
  used(): Used | undefined;
  /** The reply; undefined unless it is finished and says why it stopped: the end of a body is not the end of a message. */
  whole(): Reply | undefined;
  /**
   * The reply of a server that ended the body inside a call, as if that were a regular end: a truncation. Undefined if no call
   * was open.
   */
  cutInCall(): Reply | undefined;
  /** The complete parts of a reply that we ended. */
  interrupted(): Reply;
}

/** How one API reports errors. It decides who must act, and whether waiting helps. */
export interface Dialect {
  /** The server's answer that this error was made from; undefined if there was none. */
  answerOf(error: unknown): Answer | undefined;
  /** Whether the server could not be reached. */
  isUnreachable(error: unknown): boolean;
  /** The status that an error in the middle of a stream would have had as a response. */
  statusOfEvent(body: JsonObject): number;
  said(answer: Answer): ErrorBody;
}

/** An error as a server reports it, by status or by event. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers | undefined;
}

/** The content of an error's body. */
export interface ErrorBody {
  /** The API's own code for it. */
  readonly code: string;
  readonly message: string;
  /** Set if waiting does not help, whatever the status: money or permission. */
  readonly account: boolean;
  /**
   * Set if the request does not fit into the model's window, so a smaller one may be answered. Needed only for your own wording
   * and codes: a 413, and the wording of every known server, are recognised by `code` and `message`.
   */
  readonly tooLong?: TooLong;
  /** Set if the thinking in the request is not valid there, so that the same request without it may be answered. */
  readonly thinkingMismatch?: boolean;
  /** Name of the rule that a refused request has broken. Only the built-in Chat Completions provider knows rules. */
  readonly rule?: string | undefined;
}

/** A request that was refused for its length, in tokens, if the server reports them. */
export interface TooLong {
  /** Tokens of the request, plus the allowed reply if the server counts both. */
  readonly sent?: number;
  /** The maximum of the model, or of the account, at once. */
  readonly most?: number;
}

/** The ways in which a stream that began with a 200 can fail. */
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

/** Helpers that every provider needs in the same form. */
export interface ProviderKit {
  /**
   * Ids for the calls of one reply: the server's own if it is new in the conversation and other servers accept it, else one
   * derived from the call's place, the same for the same reply.
   */
  callIds(messages: readonly Message[]): (given?: string) => string;
  /** A tool's name in a form that every server accepts. */
  callName(given: string | undefined): string;
  /**
   * The usage of a call: as reported, and estimated where nothing was.
   *
   * @param told reported tokens, without unknown values
   * @param written characters that the model has written
   */
  usedOf(told: Partial<Usage>, request: ModelRequest, written: number): Used;
}

/** A provider: the argument of `defineProvider`, and its result. */
export interface ProviderDefinition {
  /** Makes the protocol for one server. Called once for each server, in each environment, on the first request. */
  readonly protocol: (server: ServerAddress, kit: ProviderKit) => Protocol;
  /** How long a server may be silent, in ms, before the call is given up: 60,000 when absent. */
  readonly idleMs?: number;
}

const Declared = z.strictObject({
  protocol: z.custom((value) => typeof value === 'function', 'must be a function'),
  idleMs: z.int().positive().optional(),
});

/**
 * Declares a provider. Throws if the declaration is not valid, and says why. It is your own code, and runs in the step function.
 */
export function defineProvider(provider: ProviderDefinition): ProviderDefinition {
  const parsed = Declared.safeParse(provider, once);
  if (!parsed.success) throw new Error(`provider: ${z.prettifyError(parsed.error)}`);
  return Object.freeze({ ...provider });
}
