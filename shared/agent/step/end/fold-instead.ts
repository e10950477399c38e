import type { Failure } from '../../session/reply.ts';
import { runOf, type Session } from '../../session/session.ts';
import { isFold } from '../../session/slots.ts';
import type { Halt } from '../../session/verdict.ts';
import type { Ending } from '../draft.ts';
import type { Step } from '../open/step-context.ts';

/** Folds in a row, without a reply between them, after which no other one helps. */
export const MOST_FOLDS = 2;

/** How a run ends whose context does not fit its model's window. */
export const contextFull = (message: string): Omit<Halt, 'kind'> => ({
  state: 'budget_exceeded',
  reason: 'context_limit',
  code: 'context_limit',
  message,
});

/**
 * What becomes of a run whose model refuses its context: as too long, or because of thinking that is bound to another one. The
 * next step folds, and asks again. What is refused after that as well ends the run, and the next message folds deeper.
 * Undefined of any other failure. Pure.
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
  // Of a context that nothing makes smaller HEAD has no fold that says so.
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
