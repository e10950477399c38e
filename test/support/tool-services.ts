import { servicesFor, type ToolServices } from '../../shared/agent/tools/services.ts';
import { memoryWorld } from '../../testing/memory-world.ts';

/** The services of a call, in memory: nobody answers a fetch. */
export const toolServices = (): ToolServices =>
  servicesFor(
    { tenant: 'default', sessionId: 's', idempotencyKey: 'k', requesters: [] },
    memoryWorld(),
    new AbortController().signal,
  );
