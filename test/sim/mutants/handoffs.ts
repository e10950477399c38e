import { type Mutant, mutant } from './mutant.ts';

const batch = 'shared/agent/step/batch/run-batch.ts';
const handOff = 'shared/agent/step/batch/hand-off.ts';
const handoffs = 'shared/agent/session/handoffs.ts';
const fork = 'shared/agent/entrypoints/fork.ts';

/** Sessions that go from one agent to another. */
export const handoffMutants: readonly Mutant[] = [
  mutant(
    'handoff: a session is not given away',
    batch,
    'session: withHandoff(observed.session, results, of.slot + 2, own)',
    'session: observed.session',
  ),
  mutant(
    'handoff: it begins a slot too early',
    batch,
    'results, of.slot + 2, own',
    'results, of.slot + 1, own',
  ),
  {
    ...mutant(
      'handoff: a second call of a reply counts too',
      handOff,
      'if (handing[0]?.call !== call) return refused(said.second);',
      '',
    ),
    tests: { lane: 'unit', file: 'step/handoffs.test.ts', only: 'twice in one reply' },
  },
  mutant(
    'handoff: a session keeps its definition',
    handoffs,
    '    ...rest,\n    ...to,\n',
    '    ...rest,\n    ...to,\n    definition,\n',
  ),
  mutant('handoff: it is not counted', handoffs, '(run.handoffs ?? 0) + 1', 'run.handoffs ?? 0'),
  mutant(
    'handoff: a fork from before it belongs to the agent of now',
    fork,
    'holderAt(session, below) ?? {',
    'holderAt(session, session.version) ?? {',
  ),
];
