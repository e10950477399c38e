import type { OutboundStore } from '../agent/outbound/destination.ts';
import type { Clock, Ids, Ports, Provider, Resources } from '../agent/ports.ts';
import { createBlobs } from './blobs.ts';
import { createConfig } from './config.ts';
import { createInbox } from './inbox.ts';
import { createLog } from './log.ts';
import { createMeter, type MemoryMeter } from './meter.ts';
import { createOutbound } from './outbound.ts';
import { createQueue, type MemoryQueue, type QueueOptions } from './queue.ts';
import { createSessions } from './sessions.ts';
import { createSockets, type MemorySockets } from './sockets.ts';
import { createTable, type Table } from './table.ts';

export interface MemoryOptions {
  /** Nothing here has a time or a chance of its own. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly provider: Provider;
  readonly settings?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly queue?: Omit<QueueOptions, 'clock' | 'ids'>;
  /** What the worker has left; all of it when absent. */
  readonly resources?: Resources;
  /** See `createInbox`. */
  readonly betweenWrites?: () => Promise<void>;
}

/** The ports, and the sides of them that only tests and simulators see. */
export interface MemoryPorts extends Ports {
  readonly outbound: OutboundStore;
  readonly queue: MemoryQueue;
  readonly sockets: MemorySockets;
  readonly meter: MemoryMeter;
  readonly table: Table;
}

/** All ports in memory. Every call's effect is one synchronous critical section. */
export function memoryPorts(options: MemoryOptions): MemoryPorts {
  const { clock, ids, provider } = options;
  const table = createTable();
  return {
    clock,
    ids,
    provider,
    table,
    meter: createMeter(),
    sessions: createSessions(table),
    inbox: createInbox(table, options.betweenWrites),
    log: createLog(),
    blobs: createBlobs(),
    outbound: createOutbound(),
    queue: createQueue({ ...options.queue, clock, ids }),
    sockets: createSockets(),
    config: createConfig(options.settings, options.secrets),
    resources: options.resources ?? { read: () => ({}) },
  };
}
