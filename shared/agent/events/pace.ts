/**
 * How often clients and the log are told while a step speaks. A push and a write are paid each, whatever they carry: so the first words
 * leave as soon as they come, and what follows in pieces that grow with the text (docs/cost.md).
 */

/** Time in ms for which what only opens (a run, a step) waits for the first words, to go out with them. */
export const OPENING_MS = 250;

/** Bounds in ms of the pause between two pushes. */
const PUSH = { least: 150, most: 1_500, share: 0.7 };
/** Bounds in ms of the age at which frames go to the log: readers of it, over SSE, are so much later than subscribers. */
const LOG = { least: 1_000, most: 2_500, share: 0.5 };

/** @param spoken time in ms from the first push to the last one */
export const pauseBetweenPushes = (spoken: number): number => grown(PUSH, spoken);

/** @param open time in ms for which the stream has been open */
export const pauseBetweenWrites = (open: number): number => grown(LOG, open);

const grown = ({ least, most, share }: typeof PUSH, ms: number): number =>
  // Whole, as clocks tell it: who waits for a part of a millisecond may find that no time has passed.
  Math.min(most, Math.max(least, Math.ceil(ms * share)));
