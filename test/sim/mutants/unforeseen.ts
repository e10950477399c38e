/** Mutants that were added last: no workload, hunt or invariant was made for them. They try what is there. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;

export const unforeseenMutants: readonly Mutant[] = [
  mutant(
    'go on waiting: takes the inbox for read',
    agent('step/end/commit'),
    'incorporated: [],\n    // What has come',
    'incorporated: fence.inbox,\n    // What has come',
  ),
  {
    // Each of them makes due whom the other one has not.
    name: 'the sweeper and late wakes wake who is not due',
    edits: [
      {
        file: agent('doors/sweep'),
        find: '  await io.sessions.postpone(session.key, now, now + AGAIN_MS);\n',
        replace: '',
      },
      {
        file: agent('step/end/commit'),
        find: '  await io.sessions.postpone(session.key, now, now + AGAIN_MS);\n',
        replace: '',
      },
    ],
  },
  mutant(
    'the sweeper looks late',
    'shared/agent/session/wake.ts',
    'SWEEP_STEP_MS) + 2)',
    'SWEEP_STEP_MS) + 9)',
  ),
];
