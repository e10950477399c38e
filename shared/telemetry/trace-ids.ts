/**
 * Ids of traces and spans, derived from known facts of a run: each of its steps derives the same ones, in every
 * environment, so a message and HEAD carry nothing for them.
 */

import { hash } from '../agent/plain/hash.ts';
import type { SessionKey } from '../contract/session.ts';

/** The trace of a run, and the span that stands for all of it. */
export const traceIdOf = (key: SessionKey, run: string): string => digest(16, 'run', key, run);
export const runSpanId = (key: SessionKey, run: string): string => digest(8, 'run span', key, run);

/**
 * A span in a run's trace.
 *
 * @param part what distinguishes it from the others of the run
 */
export const spanIdOf = (key: SessionKey, run: string, ...part: (string | number)[]): string =>
  digest(8, 'span', key, run, ...part);

/** The first bytes of SHA-256, in hex. */
const digest = (
  bytes: number,
  kind: string,
  { tenant, sessionId }: SessionKey,
  ...part: (string | number)[]
): string => hash(JSON.stringify([kind, tenant, sessionId, ...part]), 2 * bytes);
