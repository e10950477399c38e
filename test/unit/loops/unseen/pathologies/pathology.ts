import type { Step, Tools } from '../../runs/run.ts';

/** A run without progress, which its model does not stop by itself. */
export interface Endless {
  readonly name: string;
  readonly tools: Tools;
  /** The step with this number, from 0. */
  readonly step: (i: number) => Step;
}

/** The steps in turn, for ever. */
export const inTurn =
  (...steps: readonly Step[]) =>
  (i: number): Step =>
    steps[i % steps.length] ?? [];

/** A step of each maker in turn, each with the number of its round. */
export const alternating =
  (...makers: readonly ((round: number) => Step)[]) =>
  (i: number): Step =>
    makers[i % makers.length]?.(Math.floor(i / makers.length)) ?? [];

/** Pseudo-random digits that do not repeat within a run. */
export const digits = (i: number): number => (i * 7919 + 104_729) % 1_000_003;
/** Hexadecimal text of 8 characters, another for each number. */
export const hex = (i: number): string => ((i + 1) * 2_654_435_761).toString(16).slice(-8).padStart(8, '0');
