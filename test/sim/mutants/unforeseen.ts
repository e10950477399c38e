/** Mutants that were added last. No workload, hunt or invariant was made for them: they test the existing ones. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;

export const unforeseenMutants: readonly Mutant[] = [
  mutant(
    'continue waiting: marks the inbox as read',
    agent('step/end/commit'),
    'session,\n    incorporated: [],',
    'session,\n    incorporated: fence.inbox,',
  ),
  {
    // Each of the two makes sessions due that the other one has missed.
    name: 'the sweeper and late wakes wake sessions that are not due',
    edits: [
      {
        file: agent('entrypoints/sweep'),
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
