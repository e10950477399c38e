import type { Agent } from '../../shared/agent/define/agent.ts';
import type { Ids } from '../../shared/agent/ports/ports.ts';
import type { CommitRequest } from '../../shared/agent/ports/sessions.ts';
import type { CallMessage, Wake } from '../../shared/contract/queue.ts';
import type { Sign } from '../../shared/edge/signs.ts';
import { type MemoryPorts, memoryPorts } from '../../shared/memory/ports.ts';
import { agentsOf, deployedIn } from './agents.ts';
import { createFaults, type Faults } from './faults.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createNemesis, type Nemesis } from './nemesis.ts';
import { type Caller, createNetwork, type Network } from './network.ts';
import { type Acting, observeHeads } from './observe.ts';
import { type Past, rememberPast } from './past.ts';
import { createQueue, type SimQueue, sessionOf } from './queue.ts';
import { createRandom } from './random.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createSockets, type SimSockets } from './sockets.ts';
import { drawWorkload, type Lanes, type Workload, type WorkloadName } from './workloads.ts';

/** One simulation with everything in it. */
export interface World {
  readonly workload: Workload;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly network: Network;
  readonly nemesis: Nemesis;
  readonly memory: MemoryPorts;
  /** Earlier states of the stores. */
  readonly past: Past;
  readonly queue: SimQueue;
  /** The tool queue; its custody is counted by wait. */
  readonly toolQueue: SimQueue<CallMessage>;
  readonly sockets: SimSockets;
  readonly ledger: Ledger;
  readonly ids: Ids;
  readonly startedAt: number;
  readonly callers: Map<string, Caller>;
  /** Invocations that run a version from before folds and packs. */
  readonly older: Set<string>;
  /** Event numbers at which invocations began. */
  readonly began: Map<string, number>;
  agentOf(name: string): Agent | undefined;
  /** The agent that is deployed now: 0 or 1. */
  deployed: number;
  /** Step queues that are currently deployed. */
  lanes: Lanes;
  /** The clock error of a new host, in ms. */
  skew(): number;
  /** Runs an operation that writes HEADs, so that observers know the caller. */
  as<T>(caller: Caller, operation: () => Promise<T>, commit?: CommitRequest, extending?: number): Promise<T>;
  /** Simulates the time between two writes of one inbox operation, in which anything may happen, even to the writer. */
  betweenWrites(caller: Caller): Promise<void>;
  hosts: number;
  /** Number of requests that a model's server with a limit has taken in the current window. */
  readonly window: { at: number; taken: number };
  /** The last sign, by the group of hosts that it is for. */
  readonly signs: Map<number, Sign>;
  /** Number of times that a tool source has listed its tools. */
  listings: number;
  connections: number;
  invocations: number;
  /** Number of step function invocations. */
  steps: number;
  /** Number of consumer invocations that are running now. */
  active: number;
  purchases: number;
  /** Runs whose requests the model's server refuses, or does not (`odd.ts`), by session and id. */
  readonly stubborn: Map<string, boolean>;
  /** Number of model calls that have begun. */
  requests: number;
  /** Number of people and clients that still have something to do. */
  busy: number;
}

export function createWorld(seed: number, name: WorkloadName): World {
  const random = createRandom(seed);
  const scheduler = createScheduler(random);
  const workload = drawWorkload(name, random);
  const faults = createFaults(random, workload.emphasis, workload.scripted);
  const network = createNetwork(scheduler, faults);
  let ids = 0;
  let acting: Acting | undefined;

  const betweenWrites = (caller: Caller): Promise<void> =>
    new Promise((resolve) => {
      if (faults.strikes('killAfter')) {
        scheduler.trace.say(caller.host.name, 'killed', 'between two writes');
        return caller.host.kill();
      }
      const ms =
        world.nemesis.gapMs() ?? (faults.strikes('late') ? random.scale(100, 60_000) : random.between(1, 20));
      network.fly(ms, resolve);
    });
  const idPort: Ids = { next: () => `id${++ids}`, random: () => random.next() };

  const memory = memoryPorts({
    clock: { now: () => scheduler.now, sleep },
    ids: idPort,
    provider: noProvider,
    duePage: workload.duePage,
  });

  const world: World = {
    workload,
    scheduler,
    faults,
    network,
    nemesis: createNemesis(workload.hunts, () => world),
    memory,
    past: rememberPast({ memory, faults, scheduler, workload }),
    queue: createQueue<Wake>(scheduler, sessionOf),
    toolQueue: createQueue<CallMessage>(scheduler, ({ waitId }) => waitId),
    sockets: createSockets({ scheduler, faults, network }),
    ledger: createLedger(),
    ids: idPort,
    startedAt: scheduler.now,
    callers: new Map(),
    older: new Set(),
    began: new Map(),
    agentOf: (agentName) => agentsOf(deployedIn(world)).find(({ name: one }) => one === agentName),
    deployed: workload.patient ? 1 : 0,
    lanes: workload.lanes?.[0] ?? { sends: 1, consumes: 1 },
    skew: () => (faults.profile.skew > 0 ? random.between(-10_000, 10_000) : 0),
    as(caller, operation, commit, extending) {
      acting = { caller, commit, extending };
      const result = operation();
      acting = undefined;
      return result;
    },
    betweenWrites,
    hosts: 0,
    window: { at: 0, taken: 0 },
    signs: new Map(),
    listings: 0,
    connections: 0,
    invocations: 0,
    steps: 0,
    active: 0,
    purchases: 0,
    stubborn: new Map(),
    requests: 0,
    busy: 0,
  };
  observeHeads(world, () => acting);
  network.onCall(world.nemesis.orderFor);
  network.onLeak((caller, operation) =>
    world.ledger.violate(
      '19 nothing continues after the end',
      `${caller.id} calls ${operation} after its handler returned`,
    ),
  );
  return world;
}

const sleep = () => Promise.reject(new Error('the store does not sleep'));
const noProvider = { complete: () => Promise.reject(new Error('the store asks no model')) };
