/** A conversation between formats: every format is read into it, and written from it. */

import type { LeftOut } from '../../contract/history.ts';

/** Content that was sent as bytes. */
export interface Media {
  readonly base64: string;
  /** As its sender named it. From outside. */
  readonly name: string;
  readonly as: 'image' | 'document';
}

export type Part = { readonly text: string } | { readonly media: Media };

/** A call in a reply. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The result of a call. */
export interface Result {
  readonly callId: string;
  /** The text that the model has read, or its JSON. */
  readonly text: string;
  /** `text` is the JSON of what the tool returned. */
  readonly json?: true;
  readonly failed?: true;
  readonly media?: readonly Media[];
}

/** Messages of the user. */
export interface UserTurn {
  readonly kind: 'user';
  /** Index of its message. */
  readonly at: number;
  /** Its own id, if it has one. */
  readonly id?: string;
  readonly parts: readonly Part[];
}

/** Text and calls of the model: its texts come before its calls. */
export interface ReplyTurn {
  readonly kind: 'reply';
  readonly at: number;
  readonly id?: string;
  /** The model, if the message names it. */
  readonly model?: string;
  readonly texts: readonly string[];
  readonly calls: readonly Call[];
}

/** Results of calls of the previous reply. */
export interface ResultsTurn {
  readonly kind: 'results';
  readonly at: number;
  readonly results: readonly Result[];
}

export type Turn = UserTurn | ReplyTurn | ResultsTurn;

/** A conversation as it was read. */
export interface Read {
  readonly turns: readonly Turn[];
  readonly leftOut: LeftOut;
}

/** The messages do not match their format: a sentence for the sender, which names the message by its index. */
export class HistoryFault extends Error {
  constructor(at: number, what: string) {
    super(`messages[${at}]: ${what}`);
    this.name = 'HistoryFault';
  }
}
