import type { TenantBudgets } from '../budgets/reservation.ts';
import type { Memories } from '../memories/store.ts';
import type { Schedules } from '../schedules/store.ts';
import type { Blobs } from './blobs.ts';
import type { LaterAnswers } from './callbacks.ts';
import type { Children } from './children.ts';
import type { Egress } from './egress.ts';
import type { EventLog } from './event-log.ts';
import type { InboxStore } from './inbox.ts';
import type { Listings } from './listings.ts';
import type { Bill, Meter } from './meter.ts';
import type { Provider } from './provider.ts';
import type { Queue } from './queue.ts';
import type { SessionStore } from './sessions.ts';
import type { Sockets } from './sockets.ts';

/**
 * The settlement of a message: `ack` deletes it; `retry` leaves it to come back. A message is acknowledged only when the
 * session's next wake is on the queue, or its HEAD was seen to need none (docs/design.md, step 8), and, if there are external
 * listeners, when the delivery queue has the commit.
 */
export type Settlement = 'ack' | 'retry';

/**
 * Everything that the core needs from outside, in small interfaces. There are two sets of adapters, `shared/aws` and
 * `shared/memory`; one contract suite (`test/contract`) runs on both. Unless an operation says otherwise, it rejects if the
 * service cannot be reached, and may then have been applied or not.
 */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sessions: SessionStore;
  readonly inbox: InboxStore;
  readonly listings: Listings;
  readonly log: EventLog;
  readonly blobs: Blobs;
  readonly egress: Egress;
  readonly memories: Memories;
  /** Schedules, for the reminders that tools set. */
  readonly schedules: Pick<Schedules, 'create' | 'read' | 'count' | 'page' | 'records' | 'remove'>;
  readonly queue: Queue;
  readonly sockets: Sockets;
  readonly provider: Provider;
  readonly config: ToolConfig;
  readonly resources: Resources;
  readonly meter: Meter;
  /** Undefined where infrastructure is free (the laptop). */
  readonly bill?: Bill;
  readonly budgets: TenantBudgets;
  readonly later: LaterAnswers;
  /** Undefined in functions whose steps begin no sessions. */
  readonly children?: Children;
}

/** The worker's remaining resources. */
export interface Resources {
  read(): ResourceUse;
}

/** Used shares of the worker's own limits, from 0 to 1 and above; a value that cannot be read is absent. */
export interface ResourceUse {
  /** Heap share. */
  readonly memory?: number;
  /** Share of the disk for temporary files. */
  readonly disk?: number;
  /** Share of the file descriptors. */
  readonly files?: number;
}

export interface Clock {
  /** Epoch ms. Skew between hosts costs time, never safety. */
  now(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A new id, unique for ever, of letters and digits. It cannot be guessed (128 random bits or more). */
  next(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

/** Configuration of the deployment that tools may read. */
export interface ToolConfig {
  setting(name: string): string | undefined;
  secret(name: string): Promise<string>;
}
