/**
 * Ids of traces and spans, made of what is known of a run anyway: each step of it makes the same ones, in whichever environment it runs, so
 * that a message and HEAD carry nothing for it.
 */

import { hash } from '../agent/plain/hash.ts';
import type { SessionKey } from '../contract/session.ts';

/** The trace of a run, and the span that stands for all of it. */
export const traceIdOf = (key: SessionKey, run: string): string => digest(16, 'run', key, run);
export const runSpanId = (key: SessionKey, run: string): string => digest(8, 'run span', key, run);

/**
 * A span in a run's trace.
 *
 * @param part what sets it apart from the others of the run
 */
export const spanIdOf = (key: SessionKey, run: string, ...part: (string | number)[]): string =>
  digest(8, 'span', key, run, ...part);

/** So many bytes of SHA-256, in hex. */
const digest = (
  bytes: number,
  kind: string,
  { tenant, sessionId }: SessionKey,
  ...part: (string | number)[]
): string => hash(JSON.stringify([kind, tenant, sessionId, ...part]), 2 * bytes);
