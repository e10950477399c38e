import { sizeOf } from '../../context/size.ts';
import type { Shrinks, Stages } from '../../guardrails/guard.ts';
import type { Judgement } from '../../guardrails/judge.ts';
import { readOnce } from '../../plain/read-once.ts';
import type { Draft } from '../draft.ts';
import { askedIn } from '../model/turn.ts';
import type { SessionPart, Step } from '../open/step-context.ts';

/** Loads the code that shrinks a context: few budgets ask for it. */
export const readShrinking = readOnce(() => import('../../context/shrink.ts'));

const never: Shrinks = { shrinks: () => false };

/** Tells guards how the context of a step could be shrunk. */
export async function shrinksOf(step: SessionPart): Promise<Shrinks> {
  const { session, loaded } = step;
  const { budget, context } = loaded.pinned.guardrails;
  // If a fold is already due, it may achieve nothing, and an allowance for it would be spent in vain.
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
 * The step in which a guard has allowed a larger budget for a smaller context: it stores that allowance and no other verdict.
 * The next step folds, and only then is the model asked. Undefined in any other step. Pure.
 */
export function allowed(
  { session }: Pick<Step, 'session'>,
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
