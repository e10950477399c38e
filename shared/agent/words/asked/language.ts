/**
 * How one language asks: to be told something, and to have something changed. All patterns are tried on single sentences
 * without accents and quotes, with one blank between words.
 */
export interface Asking {
  /** How a sentence begins that asks to be told something. */
  readonly tells: RegExp;
  /** Requests to change something, up to their verb: "can you please fix". */
  readonly requests: readonly RegExp[];
  /** Orders to change something, up to their verb, where a sentence or a clause begins. */
  readonly orders: readonly RegExp[];
  /** A sentence that asks how one does it, or what comes of it: its verbs order nothing. */
  readonly asksHow: RegExp;
  /** A clause that is no part of a request, where verbs stand at the end. With the flag `g`. */
  readonly aside?: RegExp;
}
