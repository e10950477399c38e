import type { FoldReason } from '../../contract/events.ts';
import { limitOf, sizeOf } from '../context/size.ts';
import { readOnce } from '../plain/read-once.ts';
import { runOf } from '../session/session.ts';
import type { Draft } from './conclude.ts';
import type { Step } from './opened.ts';
import type { Admitted } from './preflight.ts';
import { askedIn, hasNothingToAsk } from './turn.ts';

/**
 * Makes the model's context smaller when it must be, or is about to be too long: that is all that its step does then. Undefined
 * when the model can be asked.
 */
export async function foldIfFull(step: Step, admitted: Admitted): Promise<Draft | undefined> {
  const why = dueFor(step);
  return why && (await readFolding()).fold(step, admitted, why);
}

/** Reads what folds, once in a process. Few steps do, so no cold start reads it. */
export const readFolding = readOnce(() => import('./fold.ts'));

/** Why the step must fold (H13, T28). */
function dueFor(step: Step): FoldReason | undefined {
  const { session, loaded, io } = step;
  const { strategy, foldAt, hardAt, cooldownSeconds } = loaded.pinned.guardrails.context;
  const { mustFold, fold } = session;
  if (mustFold && (strategy !== 'none' || mustFold.why === 'thinking')) return mustFold.why;
  if (strategy === 'none' || strategy === 'server') return undefined;
  const asked = askedIn(step);
  if (hasNothingToAsk(step, { input: asked.waiting })) return undefined;
  const limit = limitOf(loaded.pinned, runOf(session).fallback);
  const size = sizeOf(asked);
  const cools = fold !== undefined && io.clock.now() < fold.at + cooldownSeconds * 1000;
  return size > limit * (cools ? hardAt : foldAt) ? 'size' : undefined;
}
