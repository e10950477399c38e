import type { StepInfo } from '../../../client/index.ts';

/** Kinds of steps, for people, before the step's number. */
export const kindWords: Readonly<Record<StepInfo['kind'], string>> = {
  model: 'Step',
  fold: 'Compaction before step',
  assessment: 'Assessment before step',
  made: 'System calls before step',
};
