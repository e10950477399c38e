import type { StepInfo } from '../../../client/index.ts';

/** What a step's time goes to. */
export interface Phase {
  readonly name: string;
  readonly words: string;
  readonly ms: number;
}

/** In the order in which they come. */
const order = [
  ['queueMs', 'queue', 'in the queue'],
  ['claimMs', 'claim', 'to claim the session'],
  ['prepareMs', 'prepare', 'to prepare the request'],
  ['modelMs', 'model', 'the model'],
  ['waitMs', 'wait', 'waiting for people and queued calls'],
  ['toolsMs', 'tools', 'its tools'],
  ['commitMs', 'commit', 'to commit'],
] as const;

/** The phases that somebody has recorded. */
export function phasesOf({ times }: StepInfo): Phase[] {
  return order.flatMap(([key, name, words]) => {
    const ms = times[key];
    return ms === undefined ? [] : [{ name, words, ms }];
  });
}

/** Ms of all phases but waiting, which is no work. */
export const totalMs = (step: StepInfo): number =>
  phasesOf(step).reduce((sum, { name, ms }) => (name === 'wait' ? sum : sum + ms), 0);
