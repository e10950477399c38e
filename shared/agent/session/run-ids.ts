import type { SessionKey } from '../../contract/session.ts';
import type { Session } from './session.ts';

/**
 * A run has one internal id, and one for each AG-UI run that clients see of it: after each wait for people another one begins.
 * This file converts between them.
 */

/** A run's id is the same for every attempt at its first step, because it is derived from the slot that it begins with. */
export const runIdAt = ({ sessionId }: SessionKey, version: number): string => `${sessionId}-${version}`;

/** The slot that a run begins with. */
export const firstSlotOf = (runId: string): number => Number(/-(\d+)$/.exec(runId)?.[1] ?? 0);

/** The id of the AG-UI run that a session's run is in. The session must have one. */
export function publicRunId({ run }: Session): string {
  if (!run) throw new Error('the session has no run');
  return run.resumes === 0 ? run.id : `${run.id}.${run.resumes}`;
}

/** The run that an AG-UI run's id belongs to. */
export const runIdOf = (publicId: string): string => publicId.replace(/(-\d+)\.\d+$/, '$1');

/** The id of the active run, or of the run that the next step begins: during its first step HEAD does not have it yet. */
export const goingRunId = ({ key, run, version }: Session): string =>
  run && !run.ended ? run.id : runIdAt(key, version);
