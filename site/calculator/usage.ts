import type { Used } from '../../bench/cost/reference-run.ts';
import { pauseBetweenPushes, pauseBetweenWrites } from '../../shared/agent/events/pace.ts';
import type { Measured } from './measured.ts';

/** The runs to be priced. */
export interface Plan {
  /** Steps of a run. */
  readonly steps: number;
  readonly listeners: number;
  /** Seconds of a step, in the model and in tools that run in it. */
  readonly seconds: number;
  /** Seconds of these in which text of the reply arrives. */
  readonly speaks: number;
  /** MB of the step function. */
  readonly memory: number;
  /** `limits.pushEveryMs`; undefined is its default. */
  readonly pushEveryMs?: number;
}

/** The plan of the reference run, whose tables are in docs/cost.md. */
export const referencePlan = ({ speaks, step }: Measured): Plan => ({
  steps: 20,
  listeners: 1,
  seconds: step.seconds,
  speaks,
  memory: Math.round((step.gbSeconds / step.seconds) * 1024),
});

/**
 * The usage of a run. Pushes and log writes of a reply follow the pace of the step's own code; the rest of a step is what the
 * benches measured. Other functions, S3 objects and the sweeper are left out: together they are below a dollar for a million steps.
 */
export function usedBy(plan: Plan, { speaks, step, shortWrites }: Measured): Used {
  const { steps, listeners, seconds, memory, pushEveryMs } = plan;
  const pushesOf = (length: number, most?: number) => times(length, (ms) => pauseBetweenPushes(ms, most));
  const partsOf = (length: number) => times(length, pauseBetweenWrites);
  const besides = step.pushes - pushesOf(speaks);
  const unitsOfPart = (step.writes - shortWrites) / partsOf(speaks);
  const stepSeconds = steps * seconds;
  return {
    steps,
    listeners,
    contextBytes: 0,
    stepSeconds,
    stepGbSeconds: (stepSeconds * memory) / 1024,
    otherGbSeconds: 0,
    invocations: steps,
    writes: steps * (shortWrites + partsOf(plan.speaks) * unitsOfPart),
    reads: steps * step.reads,
    queueRequests: steps * step.queueRequests,
    pushes: steps * listeners * (besides + pushesOf(plan.speaks, pushEveryMs)),
    connectionMinutes: (listeners * stepSeconds) / 60,
    httpRequests: 1,
    puts: 0,
    gets: 0,
    logKb: steps * step.logKb,
    toldUsd: 0,
  };
}

/** How often something happens in a number of seconds, if the pause depends on the time that has passed in ms. */
function times(seconds: number, pauseAfter: (ms: number) => number): number {
  let count = 0;
  for (let at = pauseAfter(0); at <= seconds * 1_000; at += pauseAfter(at)) count += 1;
  return count;
}
