/**
 * A part of a slot for which the model's server refuses a request: from the slot that lists it on, the model reads a notice in
 * its place.
 */
export interface Omitted {
  /** Number of the slot. */
  readonly slot: number;
  /** `media`: the attachments of its input or results, which are read without them. */
  readonly part: 'input' | 'reply' | 'results' | 'media';
  /** Which of its turns, blocks or results, from 0; absent for all of them. */
  readonly at?: readonly number[];
}
