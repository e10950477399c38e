import { changes } from './changes.ts';
import { cycles } from './cycles.ts';
import { failures } from './failures.ts';
import type { Endless } from './pathology.ts';
import { volatile } from './volatile.ts';

/** Runs without progress, by kind, written before the rules that are tried on them. */
export const pathologies: Readonly<Record<string, readonly Endless[]>> = {
  changes,
  cycles,
  failures,
  volatile,
};
