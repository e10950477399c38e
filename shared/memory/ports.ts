import { type Amount, nothing } from '../agent/budgets/amount.ts';
import type { BudgetStore } from '../agent/budgets/store.ts';
import { tenantBudgets } from '../agent/budgets/tenant-budgets.ts';
import type { OutboundStore } from '../agent/outbound/destination.ts';
import { defined } from '../agent/plain/defined.ts';
import type { Bill } from '../agent/ports/meter.ts';
import type { Clock, Ids, Ports, Resources } from '../agent/ports/ports.ts';
import type { Provider } from '../agent/ports/provider.ts';
import type { SignStore } from '../edge/signs.ts';
import { createBlobs, type MemoryBlobs } from './blobs.ts';
import { createBudgets } from './budgets.ts';
import { createConfig } from './config.ts';
import { createEgress, type Internet } from './egress.ts';
import { createGraves, type MemoryGraves } from './graves.ts';
import { createInbox, type InboxOptions } from './inbox.ts';
import { createLater } from './later.ts';
import { createListings, type MemoryListings } from './listings.ts';
import { createLog } from './log.ts';
import { createMemories } from './memories.ts';
import { createMeter, type MemoryMeter } from './meter.ts';
import { createOutbound } from './outbound.ts';
import { createQueue, type MemoryQueue, type QueueOptions } from './queue.ts';
import { createSchedules } from './schedules.ts';
import { createSessions } from './sessions.ts';
import { createSigns } from './signs.ts';
import { createSockets, type MemorySockets } from './sockets.ts';
import { createTable, type Table } from './table.ts';

export interface MemoryOptions extends InboxOptions {
  /** The ports have no time and no randomness of their own. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly provider: Provider;
  readonly settings?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly queue?: Omit<QueueOptions, 'clock' | 'ids'>;
  /** The worker's free resources; unlimited when absent. */
  readonly resources?: Resources;
  /** The costs of invocations; nothing when absent. */
  readonly bill?: Bill;
  /** Answers the tools' fetches; nothing does when absent. */
  readonly internet?: Internet;
  /** The limits of every tenant for a day; 0 = unlimited. */
  readonly tenantLimits?: Partial<Amount>;
  /** Number of sessions that a sweeper gets at once; 100, as on AWS, when absent. */
  readonly duePage?: number;
  /** Limits of tenants that have their own. */
  readonly limitsOfTenants?: Readonly<Record<string, Partial<Amount>>>;
}

/** The ports, and the sides of them that only tests and simulators see. */
export interface MemoryPorts extends Ports {
  readonly blobs: MemoryBlobs;
  readonly outbound: OutboundStore;
  readonly listings: MemoryListings;
  readonly graves: MemoryGraves;
  readonly queue: MemoryQueue;
  readonly sockets: MemorySockets;
  readonly meter: MemoryMeter;
  readonly table: Table;
  readonly budgetStore: BudgetStore;
  readonly signs: SignStore;
}

/** All ports in memory. Every call's effect is one synchronous critical section. */
export function memoryPorts(options: MemoryOptions): MemoryPorts {
  const { clock, ids, provider } = options;
  const table = createTable();
  const budgetStore = createBudgets(options.limitsOfTenants);
  const stores = {
    table,
    listings: createListings(),
    log: createLog(),
    blobs: createBlobs(),
    outbound: createOutbound(),
  };
  return {
    ...stores,
    clock,
    ids,
    provider,
    graves: createGraves(stores),
    meter: createMeter(),
    sessions: createSessions(table, table.heads, options.duePage),
    inbox: createInbox(table, options),
    egress: createEgress(clock, options.internet),
    memories: createMemories(),
    schedules: createSchedules(),
    queue: createQueue({ ...options.queue, clock, ids }),
    sockets: createSockets(),
    config: createConfig(options.settings, options.secrets),
    resources: options.resources ?? { read: () => ({}) },
    later: createLater(table),
    ...defined({ bill: options.bill }),
    budgetStore,
    signs: createSigns(),
    budgets: tenantBudgets({ ...nothing, ...options.tenantLimits }, budgetStore, clock),
  };
}
