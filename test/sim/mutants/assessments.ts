/** Mutants of assessments of progress (`shared/agent/step/assess`, and the guard that acts on them). */

import { type Mutant, mutant } from './mutant.ts';

const assess = 'shared/agent/step/assess/assess.ts';
const guard = 'shared/agent/guardrails/loops/progress.ts';

export const assessmentMutants: readonly Mutant[] = [
  mutant(
    'assessment: a kept one is paid for again',
    'shared/agent/step/step.ts',
    '  if (recovered.assessment) return (await readAssessing()).adoptAssessment(opened, recovered.assessment);\n',
    '',
  ),
  mutant('assessment: is committed before it is kept', assess, '  await keepSlots(step, [slot]);\n', ''),
  mutant('assessment: is not charged', assess, '[lost, call].reduce', '[lost].reduce'),
  mutant('assessment: is charged twice', assess, '[lost, call].reduce', '[lost, call, call].reduce'),
  mutant('assessment: lost questions are not charged', assess, '[lost, call].reduce', '[call].reduce'),
  mutant(
    'assessment: the count of stuck is lost',
    guard,
    "finding === 'stuck' ? before.stuck + 1 :",
    "finding === 'stuck' ? 1 :",
  ),
];
