import { respiteOf } from '../../guardrails/judge.ts';
import type { Draft } from '../draft.ts';
import type { Step } from '../open/step-context.ts';

/** Ends that report a fault of a worker or of our own code: earlier decisions do not explain them. */
const ours: ReadonlySet<string> = new Set(['crash_loop', 'internal_error']);

/**
 * A run that a guard was about to end, but gave some time (`Guard.respite`), ends as that guard said, whatever has happened
 * since. The model's reply in that time stays its result. Pure.
 */
export function endAsDecided({ guards }: Pick<Step, 'guards'>, draft: Draft): Draft {
  const { ending, session } = draft;
  const ends = ending.kind === 'complete' || (ending.kind === 'halt' && !ours.has(ending.halt.reason));
  const respite = ends ? respiteOf(guards, session) : undefined;
  if (!respite) return draft;
  return { ...draft, ending: { kind: 'halt', halt: { ...respite.halt, guard: respite.guard } } };
}
