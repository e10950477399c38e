/** Mutants of plan mode: how changes are proposed, decided and made. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const planning = agent('tools/planning');
const drafting = agent('step/batch/draft-changes');
const making = agent('step/batch/make-changes');
const runBatch = agent('step/batch/run-batch');

export const planMutants: readonly Mutant[] = [
  mutant(
    'plans: a proposed change is run',
    planning,
    '  tool && isHeld(tool)\n',
    "  tool && isHeld(tool) && tool.effect === 'read'\n",
  ),
  mutant(
    'plans: a rejected change is made',
    making,
    'approved && (changes?.includes(n) ?? true);',
    'approved && (changes?.includes(n) ?? true) !== undefined;',
  ),
  mutant(
    'plans: a refusal approves',
    making,
    'approved && (changes?.',
    'approved !== undefined && (changes?.',
  ),
  mutant('plans: numbers begin at 0', making, 'approves(decision, at + 1)', 'approves(decision, at)'),
  mutant(
    'plans: a change after a queued one begins with it',
    making,
    'return first === -1 ? calls : calls.filter(',
    'return first !== undefined ? calls : calls.filter(',
  ),
  mutant(
    'plans: earlier proposals are forgotten',
    drafting,
    'changes: [...(before?.changes ?? []), ...calls',
    'changes: [...calls',
  ),
  mutant(
    'plans: a recovered batch has proposed nothing',
    runBatch,
    '    ? drafting.withProposed(plan.session, of.slot, files)\n',
    '    ? recovered ? plan.session : drafting.withProposed(plan.session, of.slot, files)\n',
  ),
  mutant(
    'plans: a run completes with its proposals undecided',
    agent('step/step'),
    "draft.ending.kind === 'complete' && draft.session.proposed",
    "draft.ending.kind === 'complete' && draft.session.proposed && draft.session.version === 0",
  ),
  mutant(
    'plans: an approved change is asked about again',
    making,
    'if (by === undefined) return',
    'if (by === undefined || !decision) return',
  ),
];
