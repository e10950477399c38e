import { answerMutants } from './answers.ts';
import { assessmentMutants } from './assessments.ts';
import { budgetMutants } from './budgets.ts';
import { coreMutants } from './core.ts';
import { deletionMutants } from './deletions.ts';
import { endMutants } from './ends.ts';
import { familyMutants } from './family.ts';
import { fileMutants } from './files.ts';
import { foldMutants, packMutants } from './folds.ts';
import { forkMutants } from './forks.ts';
import { handoffMutants } from './handoffs.ts';
import { historyMutants } from './histories.ts';
import { leaveMutants } from './leave.ts';
import { listingMutants } from './listings.ts';
import { memoryMutants } from './memories.ts';
import type { Mutant } from './mutant.ts';
import { objectMutants } from './objects.ts';
import { outsideMutants } from './outside.ts';
import { overflowMutants } from './overflow.ts';
import { planMutants } from './plans.ts';
import { proofMutants } from './proofs.ts';
import { readMutants } from './reads.ts';
import { scheduleMutants } from './schedules.ts';
import { shapeMutants } from './shapes.ts';
import { signMutants } from './signs.ts';
import { skillMutants } from './skills.ts';
import { storeMutants } from './store.ts';
import { strictMutants } from './strict.ts';
import { testedMutants } from './tested.ts';
import { timerMutants } from './timers.ts';
import { unforeseenMutants } from './unforeseen.ts';
import { waitMutants } from './waits.ts';
import { withdrawalMutants } from './withdrawals.ts';

/** All mutants. The test of places and the runner use the same list. */
export const mutants: readonly Mutant[] = [
  ...storeMutants,
  ...coreMutants,
  ...budgetMutants,
  ...waitMutants,
  ...overflowMutants,
  ...readMutants,
  ...endMutants,
  ...objectMutants,
  ...proofMutants,
  ...unforeseenMutants,
  ...foldMutants,
  ...packMutants,
  ...assessmentMutants,
  ...fileMutants,
  ...answerMutants,
  ...outsideMutants,
  ...timerMutants,
  ...familyMutants,
  ...handoffMutants,
  ...shapeMutants,
  ...memoryMutants,
  ...skillMutants,
  ...leaveMutants,
  ...planMutants,
  ...scheduleMutants,
  ...signMutants,
  ...listingMutants,
  ...forkMutants,
  ...deletionMutants,
  ...strictMutants,
  ...historyMutants,
  ...withdrawalMutants,
  ...testedMutants,
];
