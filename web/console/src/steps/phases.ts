import type { StepInfo } from '../../../client/index.ts';

/** A phase of a step's time. */
export interface Phase {
  readonly name: 'died' | 'queue' | 'claim' | 'prepare' | 'first' | 'model' | 'wait' | 'tools' | 'commit';
  readonly words: string;
  readonly ms: number;
}

/** The words for each phase. */
export const phaseWords: Readonly<Record<Phase['name'], string>> = {
  died: 'queued, including failed attempts',
  queue: 'queued',
  claim: 'claim',
  prepare: 'prepare',
  first: 'time to first token',
  model: 'rest of the reply',
  wait: 'waiting for people and queued calls',
  tools: 'tools',
  commit: 'commit',
};

/** The recorded phases, in order. */
export function phasesOf({ times, attempt = 1 }: StepInfo): Phase[] {
  const { queueMs, claimMs, prepareMs, modelMs, firstTokenMs, waitMs, toolsMs, commitMs } = times;
  const known: readonly (readonly [Phase['name'], number | undefined])[] = [
    // The time of a dead attempt counts as queue time of the next one.
    [attempt > 1 ? 'died' : 'queue', queueMs],
    ['claim', claimMs],
    ['prepare', prepareMs],
    ['first', firstTokenMs],
    ['model', modelMs === undefined ? undefined : Math.max(0, modelMs - (firstTokenMs ?? 0))],
    ['wait', waitMs],
    ['tools', toolsMs],
    ['commit', commitMs],
  ];
  return known.flatMap(([name, ms]) => (ms === undefined ? [] : [{ name, words: phaseWords[name], ms }]));
}

/** Ms of all phases except waiting, which is no work. */
export const totalMs = (step: StepInfo): number =>
  phasesOf(step).reduce((sum, { name, ms }) => (name === 'wait' ? sum : sum + ms), 0);
