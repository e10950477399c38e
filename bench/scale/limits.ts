/**
 * What AWS lets one account do in a region, as its documentation said on 23 November 2026; where it says so: docs/scale.md. Most of these are
 * defaults that AWS raises when it is asked. Those of a partition and of a mapping nobody raises.
 */

/** Of one partition of a table or of an index: units a second. */
export const PARTITION = { writes: 1_000, reads: 3_000 };

/** Invocations at once of one mapping of a queue, as `MaximumConcurrency` takes it. */
export const MAPPING = 1_000;

/** Messages of a standard queue that are received and not deleted yet. */
export const IN_FLIGHT = 120_000;

export const ACCOUNT = {
  /** Invocations at once of all functions. */
  invocations: 1_000,
  /** Units a second of a table on demand. */
  tableWrites: 40_000,
  tableReads: 40_000,
  /** Requests a second to all APIs, and `@connections` among them. */
  apiRequests: 10_000,
  /** New WebSocket connections a second. */
  newConnections: 500,
};
