/** Mutants of the system's own calls, and of what counts when. */

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
    'proof: the result of the command is not judged',
    step('batch/gated'),
    "judge(gates, 'complete', over, seen)",
    "judge([], 'complete', over, seen)",
  ),
  mutant(
    'proof: a command that was not run has passed',
    command,
    "(result.outcome === 'ok' ? 0 : 1)) : null;",
    "(result.outcome === 'ok' ? 0 : 1)) : 0;",
  ),
  {
    name: 'proof: one pass counts for ever',
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
  mutant('proof: repairs never end', command, 'state.repairs >= config.repairs', 'state.repairs < 0'),
  mutant(
    'proof: the model reads the system’s calls',
    'shared/agent/context/messages.ts',
    'else if (!slot.made) putFirst',
    'else putFirst',
  ),
  mutant(
    'proof: a call of the system counts for the run',
    'shared/agent/step/batch/run-batch.ts',
    'toolCalls + (made ? 0 : plan.calls.length)',
    'toolCalls + plan.calls.length',
  ),
  mutant(
    'proof: taking over a call of the system asks the model',
    step('step'),
    'recovered.model\n    ? recovered.model.made !== undefined\n    : loaded.inbox.every(',
    'loaded.inbox.every(',
  ),
  mutant(
    'proof: dead attempts next to a call of the system have asked for nothing',
    step('batch/system-call'),
    'const lost = mayHaveAsked ?',
    'const lost = mayHaveAsked && !step.isRetry ?',
  ),
];
