import type { Chunk } from './chunk.ts';
import type { Block, Outgoing } from './outgoing.ts';
import type { Story } from './story.ts';
import type { StoryFile } from './story-files.ts';

/** The memory between deliveries, kept with the destination. It is small, because it lives in one item. */
export interface Thread {
  /** Whether streams are used: `not_now` for the rest of a run after a rate limit, `never` after a refusal. */
  readonly streams: 'yes' | 'not_now' | 'never';
  /** Slack takes no Markdown here: texts are posted in mrkdwn. */
  readonly markdown?: 'never';
  /** Slack allows no edits here: a message that may still grow is not posted. */
  readonly edits?: 'never';
  /** Slack takes no buttons for ratings here. */
  readonly rating?: 'never';
  /** Slack takes no task cards here. */
  readonly taskCards?: 'never';
  readonly cards?: Cards;
  readonly runId?: string;
  readonly status?: Posted;
  readonly parts: readonly Part[];
  /** By the ask's id. */
  readonly asks: Readonly<Record<string, Posted>>;
  /** Asks of earlier runs whose message still has buttons. */
  readonly open: readonly OpenAsk[];
  /** Files that were given to people, the latest ones, of this run and earlier ones. */
  readonly files?: readonly FileMark[];
  readonly pending?: Pending;
  /** A stream may have got more than is remembered: set before the first append of a delivery, cleared at its end. */
  readonly unsure?: boolean;
  /** The newest known `ts` of a message of ours, of this run or an earlier one. */
  readonly newest?: string;
  /** The last thing that Slack refused, and how often in a row. */
  readonly refused?: Refused;
}

/** The message with a run's task cards. */
export interface Cards {
  /** Absent until it is posted. */
  readonly ts?: string;
  /** `stream`: it is being streamed. `ended`: only `chat.update` changes it. `off`: a person has deleted it, or Slack does not change it. */
  readonly mode: 'stream' | 'ended' | 'off';
  /** Digests of the cards that were streamed, by id. */
  readonly sent: Readonly<Record<string, string>>;
  /** Digest of the message, when it is not streamed. */
  readonly shown: string;
  /** Epoch ms at which the stream was started, and last appended to. */
  readonly since: number;
  readonly touched: number;
}

/** A file that was given to people (`files-out.ts`). */
export interface FileMark {
  readonly key: string;
  /** Slack's id of it, and epoch ms at which Slack was first asked to show it: it may be shown. */
  readonly id?: string;
  readonly since?: number;
  /** It is shown. */
  readonly done?: true;
  /** Slack's error, when it was given up. */
  readonly unsent?: string;
}

export interface Refused {
  /** The message: as in {@link Pending}, or the slot of an update. */
  readonly slot: string;
  readonly times: number;
  /** It was refused for its length: the next try is shorter. */
  readonly tooLong: boolean;
}

/** A message with buttons, and the first lines of its text: up to {@link KEPT} characters. */
export interface OpenAsk {
  readonly id: string;
  readonly ts: string;
  readonly message: string;
  /** As in {@link Ask}; absent in memories from before it was kept. */
  readonly reason?: string;
}

/** A message in the thread. */
export interface Posted {
  /** Absent when Slack does not accept it, or a person has deleted it: it is not posted again. */
  readonly ts?: string;
  /** Digest of its content. */
  readonly shown: string;
  /** Slack does not allow it to be changed. */
  readonly closed?: true;
  /** Slack's error, when it refused the message on every try. */
  readonly unsent?: string;
}

/** A message with a piece of one text of the assistant. */
export interface Part {
  /** Which text of the run: its place in {@link Story.said}. */
  readonly said: number;
  /** The piece, in characters of the text; `to` is set when the message is full. */
  readonly from: number;
  readonly to?: number;
  /** These three are as in {@link Posted}. */
  readonly ts?: string;
  readonly closed?: true;
  readonly unsent?: string;
  /**
   * `stream`: it is being streamed. `ended`: it was streamed; only `chat.update` changes it. `markdown` and `post`: it
   * was never streamed, and is in Markdown or in mrkdwn.
   */
  readonly mode: 'stream' | 'ended' | 'markdown' | 'post';
  /** Characters of the text that it shows, from the text's start. */
  readonly sent: number;
  /** Digest of the part of the text that it shows. */
  readonly shown: string;
  /** It may show something else, and must be rewritten. */
  readonly stale?: true;
  /** It has the buttons for ratings. */
  readonly rated?: true;
  /** Characters that were sent to a stream. */
  readonly size?: number;
  /** Epoch ms at which a stream was started, and last appended to. */
  readonly since: number;
  readonly touched: number;
}

/** A message that is being posted: it may already exist. */
export interface Pending {
  /**
   * In the message's metadata, by which it is found. Streams have no metadata: the message that is newer than all known
   * ones is the stream.
   */
  readonly slot: string;
  readonly stream: boolean;
  /** Epoch ms. */
  readonly since: number;
  /** The message that it becomes, once its `ts` is known. */
  readonly becomes: Becomes;
}

export type Becomes =
  | { readonly kind: 'status'; readonly shown: string }
  | { readonly kind: 'ask'; readonly id: string; readonly shown: string }
  /** `at`: the index of an existing part; absent for a new one. */
  | { readonly kind: 'part'; readonly part: Omit<Part, 'ts'>; readonly at?: number }
  | { readonly kind: 'cards'; readonly cards: Omit<Cards, 'ts'> }
  /** The message of an earlier ask, without its buttons. */
  | { readonly kind: 'settled'; readonly id: string };

export const newThread: Thread = { streams: 'yes', parts: [], asks: {}, open: [] };

/** Ids of the requests whose message is in the thread, of a memory as it is stored. */
export function asksIn(memory: unknown): string[] {
  const { asks = {}, open = [] } = (memory ?? {}) as Partial<Thread>;
  return [...Object.entries(asks).flatMap(([id, { ts }]) => (ts ? [id] : [])), ...open.map(({ id }) => id)];
}

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
      /** Stand below the text. */
      readonly blocks?: readonly Block[];
      readonly part: Part;
    }
  | { readonly kind: 'update'; readonly ts: string; readonly message: Outgoing; readonly becomes: Becomes }
  | {
      readonly kind: 'startCards';
      readonly slot: string;
      readonly chunks: readonly Chunk[];
      readonly cards: Cards;
    }
  | {
      readonly kind: 'appendCards' | 'stopCards';
      readonly ts: string;
      readonly chunks: readonly Chunk[];
      readonly cards: Cards;
    }
  /** Shares a file. `refused`: the reason for which it is given up without a try. */
  | { readonly kind: 'share'; readonly file: StoryFile; readonly refused?: string }
  /** Nothing to do for this many ms, unless there is something new. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The run is shown to its end. */
  | { readonly kind: 'told'; readonly endSeq: number };

/** The time now, and the time of the thread's last update: epoch ms. Both come from the shell. */
export interface Pace {
  readonly now: number;
  readonly updatedAt: number;
}
