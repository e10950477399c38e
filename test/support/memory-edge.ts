import { nothing } from '../../shared/agent/budgets/amount.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { createCallbacks } from '../../shared/callbacks/callbacks.ts';
import type { TenantLimits } from '../../shared/contract/budgets.ts';
import type { BudgetAccounts } from '../../shared/edge/budgets.ts';
import type { LimitOptions } from '../../shared/edge/limits.ts';
import { createApiKeys } from '../../shared/memory/api-keys.ts';
import { createConnections } from '../../shared/memory/connections.ts';
import { createDays } from '../../shared/memory/days.ts';
import { createDeadDeliveries } from '../../shared/memory/dead-deliveries.ts';
import { createFeedback } from '../../shared/memory/feedback.ts';
import { createHookLog } from '../../shared/memory/hook-log.ts';
import { createLimits } from '../../shared/memory/limits.ts';
import { createLinks } from '../../shared/memory/links.ts';
import { createPeople } from '../../shared/memory/people.ts';
import { createSchedules } from '../../shared/memory/schedules.ts';
import { createStreams } from '../../shared/memory/streams.ts';
import { createTickets } from '../../shared/memory/tickets.ts';
import { createUploads } from '../../shared/memory/uploads.ts';
import type { MemoryWorld } from '../../testing/memory-world.ts';

export interface MemoryEdgeOptions extends Partial<LimitOptions> {
  /** Number of SSE responses that a tenant may have open. */
  readonly streamsAtOnce?: number;
}

/**
 * The edge's ports in memory, over the sessions of a world. There is room for everything unless a test says otherwise.
 */
export function memoryEdge(
  { clock, table, blobs, listings, graves }: MemoryWorld,
  options: MemoryEdgeOptions = {},
) {
  const { messagesPerMinute = 1_000, sessionsAtOnce = 1_000, streamsAtOnce = 1_000 } = options;
  return {
    hasSlack: true,
    links: createLinks(blobs, clock),
    uploads: createUploads(clock, blobs),
    schedules: createSchedules(),
    people: createPeople(),
    days: createDays(),
    keys: createApiKeys(clock),
    tickets: createTickets(clock),
    connections: createConnections(clock),
    limits: createLimits(table, clock, { messagesPerMinute, sessionsAtOnce }),
    streams: createStreams(clock, streamsAtOnce),
    hookLog: createHookLog(),
    dead: createDeadDeliveries(),
    listed: listings,
    feedback: createFeedback(table),
    graves,
    budgets: accounts(),
    tenantLimits: nothing,
    callbacks: createCallbacks({ allowLoopback: false, masters: async () => 'hush' }),
    isOutage,
  };
}

/** Limits of tenants that use nothing. */
function accounts(): BudgetAccounts {
  const limits = new Map<string, TenantLimits>();
  return {
    own: async (tenant) => limits.get(tenant) ?? {},
    set: async (tenant, own) => void limits.set(tenant, own),
    used: async () => ({ tokens: 0, usd: 0, steps: 0 }),
  };
}
