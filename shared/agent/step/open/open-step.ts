import type { Agent } from '../../define/agent.ts';
import { openStream } from '../../events/stream.ts';
import type { AnyGuard } from '../../guardrails/guard.ts';
import { blobsOf } from '../../lineage/blobs.ts';
import { mentionOutside } from '../../outbound/tell.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Invocation } from '../../ports/queue.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Answers } from './answers.ts';
import { holdLease } from './lease.ts';
import type { Loaded } from './load.ts';
import { packTail } from './packing.ts';
import { guardsOf } from './read-guards.ts';
import { recoveredBy } from './recovered.ts';
import { ownGuards } from './rules.ts';
import { beginRun, nameOf, resumeRun } from './run.ts';
import type { Step } from './step-context.ts';

/**
 * Opens a claimed step: begins the run if needed, starts heartbeat and stream. The caller closes both.
 *
 * @param tools the session's, as they are deployed now
 * @param answers reads its answers, if they are objects
 * @param gates the session's gate guards, after those that every session has
 */
export function openStep(
  loaded: Loaded,
  invocation: Invocation,
  { leaseMs, packAbove }: { readonly leaseMs: number; readonly packAbove?: number },
  agent: Agent | undefined,
  tools: readonly Tool[],
  answers: Answers | undefined,
  gates: readonly AnyGuard[],
  io: Ports,
): Step {
  const { key, view } = loaded;
  const guards = [
    ...guardsOf(loaded.pinned),
    ...(answers ? [answers.guard] : []),
    ...gates,
    ...ownGuards(agent?.guards ?? [], loaded.pinned),
  ];
  const session = view.session.batch
    ? resumeRun(view.session, io.clock.now())
    : beginRun(view.session, guards, io.clock.now());
  const stream = openStream(key, view, io);
  const lease = holdLease(key, view, invocation, leaseMs, stream, io);
  return {
    loaded,
    session,
    history: loaded.slots.filter(({ n }) => n < session.version),
    recovered: recoveredBy(loaded, session),
    isRetry: view.attempts > 1,
    guards,
    agent,
    tools,
    ...(answers && { answers }),
    stream,
    lease,
    invocation,
    io: session.origin ? { ...io, blobs: blobsOf(session, io.blobs) } : io,
    mentioned: mentionOutside(session, io),
    marking: markDone(loaded, io),
    packing: packTail(loaded, io, packAbove),
    kept: [],
    times: { openedAt: io.clock.now(), calls: new Map() },
    stepName: nameOf(session, view.attempts),
    atCommit: [],
  };
}

async function markDone({ key, view }: Loaded, io: Ports): Promise<readonly string[]> {
  const { consumed } = view.fence;
  if (consumed.length === 0) return [];
  return io.inbox.markDone(key, consumed).then(
    () => [],
    () => consumed,
  );
}
