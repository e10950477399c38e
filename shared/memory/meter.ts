import type { CallFailure, CountedVerdict, Meter, StepReport } from '../agent/ports.ts';

/** A meter, and what it was told. */
export interface MemoryMeter extends Meter {
  readonly verdicts: readonly CountedVerdict[];
  readonly steps: readonly StepReport[];
  readonly failures: readonly CallFailure[];
}

export function createMeter(): MemoryMeter {
  const verdicts: CountedVerdict[] = [];
  const steps: StepReport[] = [];
  const failures: CallFailure[] = [];
  return {
    verdicts,
    steps,
    failures,
    verdict: (counted) => void verdicts.push(counted),
    step: (report) => void steps.push(report),
    callFailed: (failure) => void failures.push(failure),
  };
}
