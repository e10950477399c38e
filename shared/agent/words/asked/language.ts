/**
 * How one language asks for information, and for a change. All patterns are tried on single sentences without accents and quotes,
 * with one blank between words.
 */
export interface AskingLanguage {
  /** The beginning of a sentence that asks for information. */
  readonly tells: RegExp;
  /** Requests to change something, up to their verb: "can you please fix". */
  readonly requests: readonly RegExp[];
  /** Orders to change something, up to their verb, where a sentence or a clause begins. */
  readonly orders: readonly RegExp[];
  /** A sentence that asks how to do something, or about its effects: its verbs order nothing. */
  readonly asksHow: RegExp;
  /** A clause that does not belong to a request, with verbs at its end. With the flag `g`. */
  readonly aside?: RegExp;
}
