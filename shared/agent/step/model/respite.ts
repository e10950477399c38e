import { respiteOf } from '../../guardrails/judge.ts';
import type { Draft } from '../draft.ts';
import type { Step } from '../open/step-context.ts';

/** Ends that say what is wrong with a worker or with our own code: nothing that was decided before explains them. */
const ours: ReadonlySet<string> = new Set(['crash_loop', 'internal_error']);

/**
 * A run that a guard was to end, and only gave time (`Guard.respite`), ends as that guard says, whatever it has come to (T7).
 * What it has said meanwhile stays its result. Pure.
 */
export function endAsDecided({ guards }: Pick<Step, 'guards'>, draft: Draft): Draft {
  const { ending, session } = draft;
  const ends = ending.kind === 'complete' || (ending.kind === 'halt' && !ours.has(ending.halt.reason));
  const respite = ends ? respiteOf(guards, session) : undefined;
  if (!respite) return draft;
  return { ...draft, ending: { kind: 'halt', halt: { ...respite.halt, guard: respite.guard } } };
}
