import { limitOf, sizeOf } from '../context/size.ts';
import type { FoldReason } from '../session/fold.ts';
import { runOf } from '../session/session.ts';
import type { Draft } from './conclude.ts';
import type * as Folding from './fold.ts';
import type { Step } from './opened.ts';
import type { Admitted } from './preflight.ts';
import { hasNothingToAsk, waitingInput } from './turn.ts';

/**
 * Makes the model's context smaller when it must be, or is about to be too long: that is all that its step does then. Undefined
 * when the model can be asked.
 */
export async function foldIfFull(step: Step, admitted: Admitted): Promise<Draft | undefined> {
  const why = dueFor(step);
  return why && (await readFolding()).fold(step, admitted, why);
}

let folding: typeof Folding | undefined;

/** Reads what folds, once in a process. Few steps do, so no cold start reads it. */
export async function readFolding(): Promise<typeof Folding> {
  folding ??= await import('./fold.ts');
  return folding;
}

/** Why the step must fold (H13, T28). */
function dueFor(step: Step): FoldReason | undefined {
  const { session, history, loaded, io } = step;
  const { strategy, foldAt, hardAt, cooldownSeconds } = loaded.pinned.guardrails.context;
  const { mustFold, fold } = session;
  if (mustFold && (strategy !== 'none' || mustFold.why === 'thinking')) return mustFold.why;
  if (strategy === 'none' || strategy === 'server') return undefined;
  const waiting = waitingInput(step);
  if (hasNothingToAsk(step, { input: waiting })) return undefined;
  const limit = limitOf(loaded.pinned, runOf(session).fallback);
  const size = sizeOf({ slots: history, session, pinned: loaded.pinned, waiting });
  const cools = fold !== undefined && io.clock.now() < fold.at + cooldownSeconds * 1000;
  return size > limit * (cools ? hardAt : foldAt) ? 'size' : undefined;
}
