import { changes } from './changes.ts';
import { cycles } from './cycles.ts';
import { failures } from './failures.ts';
import { volatile } from './volatile.ts';

/** Runs without progress, by kind, written before the rules that are tried on them. */
export const pathologies = {
  changes,
  cycles,
  failures,
  volatile,
};
