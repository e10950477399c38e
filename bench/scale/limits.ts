/**
 * AWS's limits for one account in a region, as its documentation said on 23 November 2026; sources: docs/scale.md. Most of these
 * are defaults that AWS raises on request. Those of a partition and of a mapping cannot be raised.
 */

/** Units a second of one partition of a table or an index. */
export const PARTITION = { writes: 1_000, reads: 3_000 };

/** Concurrent invocations of one queue mapping (`MaximumConcurrency`). */
export const MAPPING = 1_000;

/** Messages of a standard queue that are received and not deleted yet. */
export const IN_FLIGHT = 120_000;

export const ACCOUNT = {
  /** Concurrent invocations of all functions. */
  invocations: 1_000,
  /** Units a second of a table on demand. */
  tableWrites: 40_000,
  tableReads: 40_000,
  /** Requests a second to all APIs, including `@connections`. */
  apiRequests: 10_000,
  /** New WebSocket connections a second. */
  newConnections: 500,
};
