import type { Failure } from '../../session/reply.ts';
import { runOf, type Session } from '../../session/session.ts';
import { isFold } from '../../session/slots.ts';
import type { Halt } from '../../session/verdict.ts';
import type { Ending } from '../draft.ts';
import type { Step } from '../open/step-context.ts';

/** Folds in a row, without a reply between them, after which another one does not help. */
export const MOST_FOLDS = 2;

/** How a run ends if its context does not fit its model's window. */
export const contextFull = (message: string): Omit<Halt, 'kind'> => ({
  state: 'budget_exceeded',
  reason: 'context_limit',
  code: 'context_limit',
  message,
});

/**
 * Handles a run whose model refuses its context, because it is too long or because its thinking is bound to another context.
 * The next step folds, and asks again. If the request is refused after that too, the run ends, and the next message folds
 * deeper. Undefined for any other failure. Pure.
 */
export function foldInstead(
  step: Pick<Step, 'history' | 'loaded'>,
  session: Session,
  failure: Failure,
): { readonly session: Session; readonly ending: Ending } | undefined {
  const run = runOf(session);
  if (failure.kind === 'thinking_mismatch') {
    const repaired = step.history.some(
      (slot) => isFold(slot) && slot.runId === run.id && slot.fold.why === 'thinking',
    );
    if (repaired) return undefined;
    return {
      session: { ...session, mustFold: { why: 'thinking', refusals: 0 } },
      ending: { kind: 'continue' },
    };
  }
  if (failure.kind !== 'too_long') return undefined;
  // If the strategy is `none`, nothing makes the context smaller, so HEAD has no fold that counts refusals.
  const refusals = Math.max(session.mustFold?.refusals ?? 0, session.fold?.refusals ?? 0) + 1;
  const never = step.loaded.pinned.guardrails.context.strategy === 'none';
  const ends = never || refusals > 1 || run.folds >= MOST_FOLDS;
  const after = run.folds > 0 ? ', also after it was made smaller' : '';
  const message = `The model refuses the conversation as too long${after}: ${failure.message}`;
  return {
    session: { ...session, mustFold: { why: 'refused', refusals } },
    ending: ends ? { kind: 'halt', halt: contextFull(message) } : { kind: 'continue' },
  };
}
