import type { AgUiEvent } from '../../shared/contract/events.ts';
import { checkBudgetsAtRest } from './budgets.ts';
import { startClients } from './clients.ts';
import { describeFaults } from './faults.ts';
import { checkFamilies } from './invariants/family.ts';
import { checkRest } from './invariants/rest.ts';
import { checkShapes } from './invariants/shapes.ts';
import { startCalls, startDeadLetters, startSteps, startSweeper } from './lambda.ts';
import type { Violation } from './ledger.ts';
import { startPeople } from './people.ts';
import { runIn } from './tools.ts';
import type { WorkloadName } from './workloads.ts';
import { createWorld, type World } from './world.ts';

/** In safety mode faults never stop. In liveness mode they stop, and then the system must come to rest. */
export type Mode = 'safety' | 'liveness';
export const modes: readonly Mode[] = ['safety', 'liveness'];

export interface Simulated {
  readonly seed: number;
  readonly workload: WorkloadName;
  readonly mode: Mode;
  readonly steps: number;
  readonly calls: number;
  readonly events: number;
  readonly faults: number;
  /** Whether it came to rest. */
  readonly rested: boolean;
  readonly hash: string;
  readonly violation: Violation | undefined;
  readonly profile: string;
  readonly lines: () => string[];
  /** Everything that each client was told, as an AG-UI client would see it. */
  readonly told: () => (readonly AgUiEvent[])[];
}

/**
 * Maximum number of events of one simulation. In safety mode it is cut off there; in liveness mode it has failed to
 * come to rest.
 */
const MAX_EVENTS = { safety: 12_000, liveness: 60_000 };
const MAX_MS = 72 * 3_600_000;

/** Runs one seed. The same arguments have the same history. */
export async function simulate(seed: number, workload: WorkloadName, mode: Mode): Promise<Simulated> {
  const world = createWorld(seed, workload);
  const { scheduler, faults, ledger, network } = world;
  const onRejection = (error: unknown) =>
    ledger.violate(
      'no promise is left alone',
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
  process.on('unhandledRejection', onRejection);
  runIn(world);
  startSteps(world);
  startCalls(world);
  startDeadLetters(world);
  startSweeper(world);
  startPeople(world);
  const viewers = startClients(world);

  if (mode === 'liveness') {
    const after = scheduler.random.scale(1_000, 900_000);
    scheduler.in(after, () => {
      scheduler.trace.say('simulator', 'faults stop');
      faults.stop();
    });
  }
  await scheduler.run(() => ledger.violation !== undefined || atRest(world, mode) || isTooLong(world, mode));
  const rested = atRest(world, mode);
  if (rested && !ledger.violation) await checkRest(world, viewers);
  if (rested && !ledger.violation) checkFamilies(world);
  if (rested && !ledger.violation) checkShapes(world);
  if (rested && !ledger.violation) await checkBudgetsAtRest(world);
  if (!rested && mode === 'liveness') ledger.violate('25 without faults it comes to rest', whyNoRest(world));
  process.off('unhandledRejection', onRejection);

  return {
    seed,
    workload,
    mode,
    steps: world.steps,
    calls: network.calls,
    events: scheduler.events,
    faults: faults.count,
    rested,
    hash: scheduler.trace.hash(),
    violation: ledger.violation,
    profile: describeFaults(faults),
    lines: scheduler.trace.lines,
    told: () => viewers.map(({ told }) => told),
  };
}

/** Whether nothing is due, queued, running or on its way, and all people are done. */
function atRest({ busy, active, queue, toolQueue, network, memory, faults }: World, mode: Mode): boolean {
  if (busy > 0 || active > 0 || queue.size > 0 || toolQueue.size > 0 || network.inFlight > 0) return false;
  if (mode === 'liveness' && !faults.stopped) return false;
  if (memory.table.graves.size > 0) return false;
  for (const { sweepAt } of memory.table.heads.values()) if (sweepAt !== undefined) return false;
  return true;
}

const isTooLong = ({ scheduler, startedAt }: World, mode: Mode): boolean =>
  scheduler.events > MAX_EVENTS[mode] || scheduler.now > startedAt + MAX_MS;

function whyNoRest({ busy, active, queue, network, memory, scheduler }: World): string {
  const due = [...memory.table.heads].filter(([, { sweepAt }]) => sweepAt !== undefined).map(([pk]) => pk);
  return `after ${scheduler.events} events: busy ${busy}, active ${active}, queued ${queue.size}, in flight ${network.inFlight}, due ${due.join()}`;
}
