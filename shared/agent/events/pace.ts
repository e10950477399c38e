/**
 * How often clients and the log are told while a step runs. Each push and each write is billed, whatever its size. So the first
 * words leave at once, and later text in pieces that grow (docs/cost.md).
 */

/** Time in ms for which opening events (of a run or step) wait for the first words, to be sent together. */
export const OPENING_MS = 250;

/** The longest pause in ms between two pushes while text comes, unless the definition says otherwise (`limits.pushEveryMs`). */
const PUSH_EVERY_MS = 300;
/** The first pause in ms, and how pauses grow: the longest is reached after 1.5 s. */
const PUSH = { least: 100, share: 0.2 };
/** Bounds in ms of the age at which frames are written to the log: its readers, over SSE, are this much later than subscribers. */
const LOG = { least: 1_000, most: 2_500, share: 0.5 };

/**
 * @param spoken time in ms from the first push to the last one
 * @param most the longest pause in ms
 */
export const pauseBetweenPushes = (spoken: number, most = PUSH_EVERY_MS): number =>
  grown({ ...PUSH, most }, spoken);

/** @param open time in ms for which the stream has been open */
export const pauseBetweenWrites = (open: number): number => grown(LOG, open);

const grown = ({ least, most, share }: typeof LOG, ms: number): number =>
  // Whole ms, as clocks have them: a wait for a part of a millisecond may end with no time passed.
  Math.min(most, Math.max(least, Math.ceil(ms * share)));
