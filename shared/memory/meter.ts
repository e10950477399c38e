import type { CallFailure, CountedVerdict, Meter, StepReport, StepTrace } from '../agent/ports/meter.ts';
import type { ToolsOmitted } from '../contract/events.ts';

/** A meter, and everything that was reported to it. */
export interface MemoryMeter extends Meter {
  readonly verdicts: readonly CountedVerdict[];
  readonly steps: readonly StepReport[];
  /** The trace of each report. */
  readonly traces: readonly StepTrace[];
  readonly failures: readonly CallFailure[];
  readonly omitted: readonly ToolsOmitted[];
}

export function createMeter(): MemoryMeter {
  const verdicts: CountedVerdict[] = [];
  const steps: StepReport[] = [];
  const traces: StepTrace[] = [];
  const failures: CallFailure[] = [];
  const omitted: ToolsOmitted[] = [];
  return {
    verdicts,
    steps,
    traces,
    failures,
    omitted,
    verdict: (counted) => void verdicts.push(counted),
    step(report, trace) {
      steps.push(report);
      if (trace) traces.push(trace());
    },
    callFailed: (failure) => void failures.push(failure),
    toolsOmitted: (_key, one) => void omitted.push(one),
  };
}
