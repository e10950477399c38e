import type { CountedVerdict, Meter } from '../agent/ports.ts';

/** A meter, and what it was told. */
export interface MemoryMeter extends Meter {
  readonly verdicts: readonly CountedVerdict[];
}

export function createMeter(): MemoryMeter {
  const verdicts: CountedVerdict[] = [];
  return { verdicts, verdict: (counted) => void verdicts.push(counted) };
}
