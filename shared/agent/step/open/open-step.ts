import { openStream } from '../../events/stream.ts';
import { blobsOf } from '../../lineage/blobs.ts';
import { mentionOutside } from '../../outbound/tell.ts';
import { defined } from '../../plain/defined.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Invocation } from '../../ports/queue.ts';
import { toolsOf } from '../../tools/toolset.ts';
import { spendable } from './caps.ts';
import { holdLease } from './lease.ts';
import type { Loaded } from './load.ts';
import type { StepOptions } from './options.ts';
import { isOrphan } from './orphan.ts';
import { packTail } from './packing.ts';
import { toldOmitted } from './page.ts';
import { answersOf } from './read-answers.ts';
import { openGates } from './read-gates.ts';
import { guardsOf } from './read-guards.ts';
import { recoveredBy } from './recovered.ts';
import { ownGuards, underRules } from './rules.ts';
import { beginRun, nameOf, resumeRun } from './run.ts';
import type { Step } from './step-context.ts';

/**
 * Opens a claimed step under the rules of its run: looks up its tools and guards, begins the run if needed, and starts heartbeat
 * and stream. The caller closes both.
 */
export async function openStep(
  claimed: Loaded,
  invocation: Invocation,
  { agentOf, skillsOf, leaseMs, packAbove }: StepOptions,
  io: Ports,
): Promise<Step> {
  const agent = agentOf(claimed.view.session.agent);
  const loaded = spendable(await underRules(claimed, agent, io));
  const tools = await toolsOf(agent, loaded.pinned);
  const answers = await answersOf(loaded.pinned, agent);
  const gates = await openGates(tools, loaded.pinned);
  const orphan = await isOrphan(loaded, io);
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
  const stream = openStream(key, view, io, loaded.pinned.limits.pushEveryMs);
  const lease = holdLease(key, view, invocation, leaseMs, stream, io);
  return {
    loaded,
    session,
    history: loaded.slots.filter(({ n }) => n < session.version),
    recovered: recoveredBy(loaded, session),
    isRetry: view.attempts > 1,
    orphan,
    guards,
    agent,
    ...defined({ skillsOf }),
    tools,
    ...defined({ answers }),
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
    atCommit: await toldOmitted(claimed.pinned, loaded),
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
