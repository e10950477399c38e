import { progressOf } from '../../guardrails/loops/progress.ts';
import { readOnce } from '../../plain/read-once.ts';
import { runOf } from '../../session/session.ts';
import type { Draft } from '../draft.ts';
import type { Admitted } from '../model/preflight.ts';
import type { Step } from '../open/step-context.ts';

/** Loads the code that assesses progress, which few agents have on. */
export const readAssessing = readOnce(() => import('./assess.ts'));

/** Assesses the progress of the run if that is due. The step then does nothing else. Undefined when the model can be asked. */
export async function assessIfDue(step: Step, admitted: Admitted): Promise<Draft | undefined> {
  return isDue(step, admitted) ? (await readAssessing()).assess(step) : undefined;
}

/**
 * A run is assessed between its steps: after results, if no new message waits and no guard lets it only write text. Based on
 * committed state, except for messages that arrive.
 */
function isDue(
  { session, history, loaded }: Pick<Step, 'session' | 'history' | 'loaded'>,
  { verdict }: Admitted,
): boolean {
  const { limits, guardrails } = loaded.pinned;
  const { enabled, every, minLeftUsd } = guardrails.progress;
  if (!enabled || verdict || progressOf(session).since < every) return false;
  const last = history.at(-1);
  if (last?.kind !== 'tools' || last.made || loaded.inbox.some(({ done }) => !done)) return false;
  const left = limits.costLimitUsd - runOf(session).totals.costUsd;
  return limits.costLimitUsd === 0 || left >= minLeftUsd;
}
