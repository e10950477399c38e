/**
 * How often clients and the log are told while a step runs. Each push and each write is billed, whatever its size. So the first
 * words leave at once, and later text in pieces that grow with its length (docs/cost.md).
 */

/** Time in ms for which opening events (of a run or step) wait for the first words, to be sent together. */
export const OPENING_MS = 250;

/** Bounds in ms of the pause between two pushes. */
const PUSH = { least: 150, most: 1_500, share: 0.7 };
/** Bounds in ms of the age at which frames are written to the log: its readers, over SSE, are this much later than subscribers. */
const LOG = { least: 1_000, most: 2_500, share: 0.5 };

/** @param spoken time in ms from the first push to the last one */
export const pauseBetweenPushes = (spoken: number): number => grown(PUSH, spoken);

/** @param open time in ms for which the stream has been open */
export const pauseBetweenWrites = (open: number): number => grown(LOG, open);

const grown = ({ least, most, share }: typeof PUSH, ms: number): number =>
  // Whole ms, as clocks have them: a wait for a part of a millisecond may end with no time passed.
  Math.min(most, Math.max(least, Math.ceil(ms * share)));
