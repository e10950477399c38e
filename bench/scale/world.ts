import { noBudgets } from '../../shared/agent/budgets/none.ts';
import type { Agent } from '../../shared/agent/define/agent.ts';
import type { OutboundStore } from '../../shared/agent/outbound/destination.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Provider } from '../../shared/agent/ports/provider.ts';
import { runStep } from '../../shared/agent/step/run-step.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import type { Item } from '../../shared/aws/dynamo.ts';
import { createInbox } from '../../shared/aws/inbox.ts';
import { openLater } from '../../shared/aws/later.ts';
import { headKey } from '../../shared/aws/layout.ts';
import { createLog } from '../../shared/aws/log.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { createSessions } from '../../shared/aws/sessions.ts';
import type { Wake } from '../../shared/contract/queue.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { memoryPorts } from '../../shared/memory/ports.ts';
// Loaded first, because no file may be read while virtual time runs.
import '../../test/support/words.ts';
import '../../shared/aws/packs.ts';
import type { RunningClock } from './clock.ts';
import type { CountingTable } from './table/table.ts';

/** The usage that the world counts. */
export type Used = 'steps' | 'messages' | 'hides' | 'pushes' | 'stepMs';

export interface WorldOptions {
  readonly clock: RunningClock;
  readonly table: CountingTable;
  readonly agent: Agent;
  modelOf(key: SessionKey): Provider;
  use?(what: Used, n: number): void;
  /** Called when a step has left its session at rest. */
  onRest?(key: SessionKey, head: Item): void;
}

/** The ports of the adapters for AWS over a table that counts, and a queue whose messages are processed at once. */
export interface ScaleWorld {
  readonly io: Ports & { readonly outbound: OutboundStore };
  /** Advances time until the condition holds. Rejects if a step does. */
  runUntil(isOver: () => boolean): Promise<void>;
  /** Ends `runUntil` with this error. */
  fail(error: unknown): void;
}

/** Ms from the send of a message to its step. */
const QUEUE_MS = 20;

/** Without limits and budgets of tenants, whose cost depends on the number of sessions (`tenant.ts`). */
export function scaleWorld({
  clock,
  table,
  agent,
  modelOf,
  use = () => {},
  onRest = () => {},
}: WorldOptions): ScaleWorld {
  let ids = 0;
  const memory = memoryPorts({
    clock,
    ids: { next: () => String(++ids).padStart(26, '0'), random: Math.random },
    provider: { complete: () => Promise.reject(new Error('each session has a model of its own')) },
  });
  const items = { dynamo: table, bodies: createBodies(memory.blobs), clock };
  const options = { agentOf: () => agent, leaseMs: 60_000 };
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
  };

  const io: ScaleWorld['io'] = {
    ...memory,
    sessions: createSessions(items),
    inbox: createInbox(items),
    log: createLog(items),
    later: openLater(undefined, items),
    outbound: createOutbound(table),
    budgets: noBudgets,
    meter: { verdict: () => {}, step: () => {}, callFailed: () => {}, toolsOmitted: () => {} },
    queue: {
      ...memory.queue,
      async send(wake, delayMs = 0) {
        use('messages', 1);
        void clock.sleep(delayMs + QUEUE_MS).then(() => deliver(wake).catch(fail));
      },
      hide: async () => use('hides', 1),
    },
    sockets: {
      async post() {
        use('pushes', 1);
        return 'sent';
      },
    },
  };

  async function deliver(wake: Wake): Promise<void> {
    const key = { tenant: wake.tenant, sessionId: wake.sessionId };
    const startedAt = clock.now();
    const message = { messageId: io.ids.next(), receiptHandle: '' };
    const invocation = { id: io.ids.next(), message, deadlineAt: startedAt + 300_000 };
    const settlement = await runStep(wake, invocation, options, { ...io, provider: modelOf(key) });
    // A message that arrives while another one's step is running comes back later.
    if (settlement === 'retry') void clock.sleep(62_000).then(() => deliver(wake).catch(fail));
    use('steps', 1);
    use('stepMs', clock.now() - startedAt);
    const head = table.peek(headKey(key));
    if (settlement === 'ack' && head && head.dueAt === undefined) onRest(key, head);
  }

  return {
    io,
    fail,
    async runUntil(isOver) {
      await clock.runUntil(() => isOver() || failure !== undefined);
      if (failure) throw failure.error;
    },
  };
}
