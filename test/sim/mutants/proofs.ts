/** Mutants of what the system calls itself, and of what counts when. */

import { type Mutant, mutant } from './mutant.ts';

const step = (name: string) => `shared/agent/step/${name}.ts`;
const command = 'shared/agent/guardrails/proof/command.ts';

export const proofMutants: readonly Mutant[] = [
  mutant(
    'proof: the answer counts before its command has run',
    step('end/outcomes'),
    'const due = dueOf(spoken, ends);\n    return due\n',
    'const due = dueOf(spoken, ends);\n    return due && !due.ends\n',
  ),
  mutant(
    'proof: nobody judges what the command has come to',
    step('batch/gated'),
    "judge(gates, 'complete', over, seen)",
    "judge([], 'complete', over, seen)",
  ),
  mutant(
    'proof: what was not run has passed',
    command,
    "(result.outcome === 'ok' ? 0 : 1)) : null;",
    "(result.outcome === 'ok' ? 0 : 1)) : 0;",
  ),
  {
    name: 'proof: what has passed once has passed for ever',
    edits: [
      {
        file: command,
        find: "if (!checked || checked.tree !== (session.workspace ?? '')) {",
        replace: 'if (!checked) {',
      },
      {
        file: command,
        find: 'changed: state.changed || changed.length > 0, checked: null }',
        replace: 'changed: state.changed || changed.length > 0 }',
      },
    ],
  },
  mutant('proof: repairs have no end', command, 'state.repairs >= config.repairs', 'state.repairs < 0'),
  mutant(
    'proof: the model reads what the system has called',
    'shared/agent/context/messages.ts',
    'else if (!slot.made) putFirst',
    'else putFirst',
  ),
  mutant(
    'proof: a call of the system is one of the run',
    'shared/agent/step/batch/run-batch.ts',
    'toolCalls + (made ? 0 : plan.calls.length)',
    'toolCalls + plan.calls.length',
  ),
  mutant(
    'proof: who takes a call of the system over asks the model',
    step('step'),
    'recovered.model\n    ? recovered.model.made !== undefined\n    : loaded.inbox.every(',
    'loaded.inbox.every(',
  ),
  mutant(
    'proof: dead attempts have asked for nothing beside a call of the system',
    step('batch/system-call'),
    'const lost = mayHaveAsked ?',
    'const lost = mayHaveAsked && !step.isRetry ?',
  ),
];
