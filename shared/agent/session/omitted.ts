/** A part of a slot that the model's server refuses a request with: from the slot that says so on, the model reads a notice in its place. */
export interface Omitted {
  /** Number of the slot. */
  readonly slot: number;
  /** `media` is what was sent with its input or results, which are read without it. */
  readonly part: 'input' | 'reply' | 'results' | 'media';
  /** Which of its turns, blocks or results, from 0; absent for all of them. */
  readonly at?: readonly number[];
}
