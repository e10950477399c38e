/** A conversation between formats: what each is read into, and written from. */

import type { LeftOut } from '../../contract/history.ts';

/** Something that was sent as bytes. */
export interface Media {
  readonly base64: string;
  /** As its sender says it. From outside. */
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

/** What a call came to. */
export interface Result {
  readonly callId: string;
  /** What the model has read, or its JSON. */
  readonly text: string;
  /** `text` is the JSON of what the tool returned. */
  readonly json?: true;
  readonly failed?: true;
  readonly media?: readonly Media[];
}

/** What somebody has said. */
export interface UserTurn {
  readonly kind: 'user';
  /** Index of its message. */
  readonly at: number;
  /** Its own id, where it has one. */
  readonly id?: string;
  readonly parts: readonly Part[];
}

/** What the model has said and asked for: its texts stand before its calls. */
export interface ReplyTurn {
  readonly kind: 'reply';
  readonly at: number;
  readonly id?: string;
  /** Which model, where the message says it. */
  readonly model?: string;
  readonly texts: readonly string[];
  readonly calls: readonly Call[];
}

/** What calls of the reply before it came to. */
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

/** The messages are not what their format says: a sentence for whoever sent them, which names the message by its index. */
export class HistoryFault extends Error {
  constructor(at: number, what: string) {
    super(`messages[${at}]: ${what}`);
    this.name = 'HistoryFault';
  }
}
