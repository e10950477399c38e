import type { Outgoing } from './outgoing.ts';
import type { Story } from './story.ts';

/** What is remembered between deliveries: kept with the destination. Small: it lives in one item. */
export interface Thread {
  /** Whether streams are used: not for the rest of a run after a rate limit, and never again after a refusal. */
  readonly streams: 'yes' | 'not_now' | 'never';
  /** Slack lets nothing be changed here: what may still grow is not posted. */
  readonly edits?: 'never';
  readonly runId?: string;
  readonly status?: Posted;
  readonly parts: readonly Part[];
  /** By the ask's id. */
  readonly asks: Readonly<Record<string, Posted>>;
  /** Asks of earlier runs whose message still has buttons. */
  readonly open: readonly OpenAsk[];
  readonly pending?: Pending;
  /** A stream may have got more than is remembered: set before the first append of a delivery, cleared at its end. */
  readonly unsure?: boolean;
  /** The newest `ts` that a message of ours was known to have, of this run or one before it. */
  readonly newest?: string;
  /** What Slack has refused last, and how often in a row. */
  readonly refused?: Refused;
}

export interface Refused {
  /** The message: as of {@link Pending}, or of a message that is changed. */
  readonly slot: string;
  readonly times: number;
  /** It was refused for its length: the next try is shorter. */
  readonly tooLong: boolean;
}

/** A message with buttons, and the first lines of what it says: up to {@link KEPT} characters. */
export interface OpenAsk {
  readonly id: string;
  readonly ts: string;
  readonly message: string;
  /** As of {@link Ask}; absent in memories from before it was kept. */
  readonly reason?: string;
}

/** A message in the thread. */
export interface Posted {
  /** Absent when Slack will not have it, or a person has deleted it: it is not posted again. */
  readonly ts?: string;
  /** Digest of what it shows. */
  readonly shown: string;
  /** Slack does not let it be changed. */
  readonly closed?: true;
  /** Slack's error, when it would not have it however often it was asked. */
  readonly unsent?: string;
}

/** A message with a piece of one text of the assistant. */
export interface Part {
  /** Which text of the run: its place in {@link Story.said}. */
  readonly said: number;
  /** The piece, in characters of the text; `to` is there when it has room for no more. */
  readonly from: number;
  readonly to?: number;
  /** All three as of {@link Posted}. */
  readonly ts?: string;
  readonly closed?: true;
  readonly unsent?: string;
  /** `stream`: it is being streamed. `ended`: it was streamed; only `chat.update` changes it. `post`: it never was. */
  readonly mode: 'stream' | 'ended' | 'post';
  /** Characters of the text that it shows, from the text's start. */
  readonly sent: number;
  /** Digest of what it shows of the text. */
  readonly shown: string;
  /** It may show something else, and must be written anew. */
  readonly stale?: true;
  /** Characters that were sent to a stream. */
  readonly size?: number;
  /** Epoch ms at which a stream was begun, and last appended to. */
  readonly since: number;
  readonly touched: number;
}

/** A message that is being posted: it may be there already. */
export interface Pending {
  /** In the message's metadata, by which it is found. Streams have none: what is newer than all that is known is it. */
  readonly slot: string;
  readonly stream: boolean;
  /** Epoch ms. */
  readonly since: number;
  /** What it will be, once its `ts` is known. */
  readonly becomes: Becomes;
}

export type Becomes =
  | { readonly kind: 'status'; readonly shown: string }
  | { readonly kind: 'ask'; readonly id: string; readonly shown: string }
  /** `at`: which of the parts that are there; a new one without. */
  | { readonly kind: 'part'; readonly part: Omit<Part, 'ts'>; readonly at?: number }
  /** The message of an earlier ask, without its buttons. */
  | { readonly kind: 'settled'; readonly id: string };

export const newThread: Thread = { streams: 'yes', parts: [], asks: {}, open: [] };

export type Move =
  | { readonly kind: 'post'; readonly slot: string; readonly message: Outgoing; readonly becomes: Becomes }
  | { readonly kind: 'start'; readonly slot: string; readonly markdown: string; readonly becomes: Becomes }
  | {
      readonly kind: 'append';
      readonly at: number;
      readonly ts: string;
      readonly markdown: string;
      readonly part: Part;
    }
  | {
      readonly kind: 'stop';
      readonly at: number;
      readonly ts: string;
      readonly markdown: string;
      readonly part: Part;
    }
  | { readonly kind: 'update'; readonly ts: string; readonly message: Outgoing; readonly becomes: Becomes }
  /** Nothing to do for so many ms, if nothing new is said. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The run is told to its end. */
  | { readonly kind: 'told'; readonly endSeq: number };

/** Now, and when the thread was last updated: epoch ms. Both are the shell's. */
export interface Pace {
  readonly now: number;
  readonly updatedAt: number;
}
