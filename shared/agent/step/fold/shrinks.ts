import { sizeOf } from '../../context/size.ts';
import type { Shrinks, Stages } from '../../guardrails/guard.ts';
import type { Judgement } from '../../guardrails/judge.ts';
import { readOnce } from '../../plain/read-once.ts';
import type { Draft } from '../draft.ts';
import { askedIn } from '../model/turn.ts';
import type { Step } from '../open/step-context.ts';

/** Reads what shrinks a context, once in a process: few budgets ask. */
export const readShrinking = readOnce(() => import('../../context/shrink.ts'));

const never: Shrinks = { shrinks: () => false };

/** What guards are told of what could be done about the context of a step (T5). */
export async function shrinksOf(step: Step): Promise<Shrinks> {
  const { session, loaded } = step;
  const { budget, context } = loaded.pinned.guardrails;
  // Where a fold is wanted already it may come to nothing, and what was allowed for it would be spent.
  if (!budget.recover || context.strategy === 'none' || session.mustFold) return never;
  const { shrunkOf } = await readShrinking();
  return {
    shrinks: () => {
      const asked = askedIn(step);
      return shrunkOf({ ...asked, size: sizeOf(asked) }) !== undefined;
    },
  };
}

/**
 * The step in which a guard has allowed more for a smaller context (T5): it keeps that, and nothing else that was said; the next
 * one folds, and only then is the model asked. Undefined in any other step. Pure.
 */
export function allowed(
  { session }: Step,
  { session: after, spoken }: Judgement<Stages['preflight']['verdict']>,
): Draft | undefined {
  const allows = spoken.filter((said) => said.kind === 'warn' && said.fold);
  const [first] = allows;
  if (first?.kind !== 'warn' || !first.fold) return undefined;
  const slices = allows.flatMap(({ guard }) => {
    const slice = after.metadata.guardrails[guard];
    return slice ? [[guard, slice] as const] : [];
  });
  return {
    session: {
      ...session,
      metadata: { guardrails: { ...session.metadata.guardrails, ...Object.fromEntries(slices) } },
      mustFold: { why: first.fold, refusals: 0 },
    },
    incorporated: [],
    spoken: allows,
    events: [],
    ending: { kind: 'continue' },
  };
}
