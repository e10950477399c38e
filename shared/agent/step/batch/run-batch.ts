import type { Done } from '../../guardrails/guard.ts';
import { judge } from '../../guardrails/judge.ts';
import { wasRun } from '../../guardrails/loops/fingerprint.ts';
import { allEnded } from '../../plain/all-ended.ts';
import { defined } from '../../plain/defined.ts';
import { withBackground } from '../../session/background.ts';
import type { Speaker } from '../../session/caller.ts';
import { withUse } from '../../session/charge.ts';
import { usedByChildren } from '../../session/children.ts';
import { toolOf } from '../../session/facts.ts';
import { withHandoff } from '../../session/handoffs.ts';
import { type Calling, dueOf } from '../../session/made.ts';
import { mayHaveRun } from '../../session/may-have-run.ts';
import { treeAtWork } from '../../session/proposals.ts';
import { runOf, withRun } from '../../session/session.ts';
import type { ToolResult, ToolsSlot } from '../../session/slots.ts';
import { heardFrom } from '../../session/speakers.ts';
import { storedBatchTiming, storedTiming } from '../../session/timing.ts';
import type { Spoken } from '../../session/verdict.ts';
import { type OpenBatch, queuedIn, waitsForChildren } from '../../session/waits.ts';
import type { Draft, Ended } from '../draft.ts';
import { withNudges } from '../model/told.ts';
import { keepSlots } from '../open/keep-slots.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import { changesOf, filesAfter, tellFiles } from '../open/workspace-files.ts';
import { leavesOf, saidToOf } from './denied.ts';
import { gated } from './gated.ts';
import { groupCalls } from './groups.ts';
import { mayHaveBegun } from './known.ts';
import { noteOf } from './plan-batch.ts';
import { type BatchPlan, isQueued, type PlannedCall } from './planned-call.ts';
import { readAwaiting } from './read-awaiting.ts';
import { readChildren } from './read-children.ts';
import { readOutside } from './read-outside.ts';
import { readProposals } from './read-proposals.ts';
import { type BatchOf, runBatch, tellResults } from './run-calls.ts';
import { openForCalls } from './waits.ts';

/** The verdicts of the guards on the results, and their messages for the model. The batch is counted in the run. */
export type ObservedResults = Pick<BatchPlan, 'session' | 'spoken'> & {
  readonly halt: Ended | undefined;
  /** Time in ms that the batch took. */
  readonly toolsMs: number;
  /** How the run goes on. */
  readonly onward: Pick<Draft, 'ending' | 'result'>;
};

/**
 * Identifies a batch.
 *
 * @param isPlanning its session proposes changes instead of making them
 */
export const batchOf = (
  { n }: { readonly n: number },
  runId: string,
  asked: Calling | undefined,
  isPlanning: boolean,
): BatchOf => ({
  ...{ slot: n, runId, messageId: asked?.messageId ?? '', proposes: isPlanning && asked?.by !== 'plan' },
  ...defined({ made: asked?.by }),
});

/**
 * Runs what is planned and writes the tools slot, in parallel with the write of the reply's slot. With queued calls the batch
 * stays open instead: the other results are stored first, so that they are found when the last queued call is done.
 *
 * @param note what people have written with their decision on a plan
 */
export async function runAndKeep(
  step: Step,
  plan: BatchPlan,
  of: BatchOf,
  slotKept: Promise<void>,
  note: string | undefined,
): Promise<ObservedResults | OpenBatch> {
  const { tools: recovered } = step.recovered;
  const isPlan = of.made === 'plan';
  const proposals = of.proposes || isPlan ? await readProposals() : undefined;
  // In a plan no change begins before the earlier ones are over.
  const calls = isPlan && proposals ? proposals.upToQueued(plan.calls) : plan.calls;
  const startedAt = step.io.clock.now();
  const known = recovered?.results ?? (await runBatch(step, { ...plan, calls }, of, slotKept));
  const ranAt = recovered ? timesIn(recovered) : timesOf(step, startedAt);
  const queued = recovered ? [] : calls.filter(isQueued);
  const awaits = known.some((result) => result.awaits);
  const isLate = awaits || known.some(({ late }) => late);
  if (queued.length > 0 || awaits) {
    await slotKept;
    await keepToClose(step, of.slot, known);
    const open = openForCalls(step.loaded, of.slot, queued, plan.calls, known, step.io.clock.now());
    if (!isLate) return open;
    const waiting = (await readAwaiting()).openAwaiting(step.loaded, open, plan.calls, known, !of.proposes);
    return waitsForChildren({ batch: waiting }) && mayHaveChildren(step) ? withAsks(step, waiting) : waiting;
  }
  const mayStop = !recovered && mayHaveChildren(step);
  const asked = plan.calls.map(({ call }) => call);
  const ran = mayStop ? await (await readChildren()).withoutOrphans(step, of.slot, asked, known) : known;
  if (step.tools.some(({ stop }) => stop)) await (await readOutside()).stopOutside(step, of.slot, plan, ran);
  const before = treeAtWork(plan.session);
  const drafting = of.proposes ? proposals : undefined;
  const files = recovered
    ? { results: ran, tree: drafting ? recovered.draft : recovered.workspace, changes: changesOf(ran) }
    : drafting
      ? await drafting.draftAfter(step, plan.session, before, ran, of.made)
      : await filesAfter(step, before, ran, isPlan);
  if (!recovered && (drafting || queuedIn(step.session.batch).size > 0)) tellResults(step, files.results);
  const session = drafting
    ? drafting.withProposed(plan.session, of.slot, files)
    : files.tree
      ? { ...plan.session, workspace: files.tree }
      : plan.session;
  const { results, ...observed } = observe(step, { ...plan, session }, files.results, of);
  const own = Object.keys(step.loaded.pinned.guards ?? {});
  const given = { ...observed, session: withHandoff(observed.session, results, of.slot + 2, own) };
  const batch: ToolsSlot = {
    kind: 'tools',
    n: of.slot + 1,
    runId: of.runId,
    replyTo: of.messageId,
    after: step.session.eventSeq,
    results,
    ...defined({ made: of.made, note }),
    verdicts: [...plan.spoken, ...observed.spoken],
    ...(step.session.batch && { ...leavesOf(plan.calls), ...saidToOf(plan.calls) }),
    ...(session.workspace && { workspace: session.workspace }),
    ...(session.proposed?.tree && { draft: session.proposed.tree }),
    ...ranAt,
  };
  await keepSlots(step, [batch]);
  if (!drafting) tellFiles(step, batch.n, files.changes);
  tellTasks(step, results);
  tellHandoff(step, results);
  return given;
}

/** The batch with what its children ask people, if an earlier step may have begun them. */
async function withAsks({ loaded, io }: Pick<Step, 'io' | 'loaded'>, batch: OpenBatch): Promise<OpenBatch> {
  const asks = await (await readChildren()).asksBelow(loaded.key, batch.waits, io.clock.now(), io);
  return asks.length > 0 ? { ...batch, asks } : batch;
}

/** Whether an earlier step may have begun sessions for calls of the batch. */
const mayHaveChildren = (step: Pick<Step, 'isRetry' | 'recovered' | 'session' | 'tools'>): boolean => {
  const { batch } = step.session;
  return (
    (batch !== undefined || mayHaveBegun(step)) &&
    (step.tools.some(({ delegates }) => delegates) ||
      (batch?.deferred?.some(({ awaits }) => awaits?.kind === 'answer' && awaits.child) ?? false))
  );
};

/** When the calls that are over now began. An open batch is run by a later step than the one that has its reply. */
const timesOf = (
  { io, loaded, session }: Pick<Step, 'io' | 'loaded' | 'session'>,
  startedAt: number,
): Pick<ToolsSlot, 'at' | 'by'> => ({
  at: storedBatchTiming({ startedAt, ms: io.clock.now() - startedAt }),
  ...(session.batch && { by: storedTiming(loaded.timing) }),
});

const timesIn = ({ at, by }: ToolsSlot): Pick<ToolsSlot, 'at' | 'by'> => ({
  ...defined({ at, by }),
});

/** Tells clients the new list of tasks with the commit. */
function tellTasks({ atCommit }: Pick<Step, 'atCommit'>, results: readonly ToolResult[]): void {
  const changed = results.findLast(({ tasks }) => tasks)?.tasks;
  if (changed) atCommit.push({ type: 'CUSTOM', name: 'steploop.tasks', value: { tasks: [...changed] } });
}

/** Tells clients with the commit that another agent has the session. */
function tellHandoff(
  { atCommit, session }: Pick<Step, 'atCommit' | 'session'>,
  results: readonly ToolResult[],
): void {
  for (const { callId: toolCallId, handedTo } of results)
    if (handedTo)
      atCommit.push({
        type: 'CUSTOM',
        name: 'steploop.handoff',
        value: { toolCallId, from: session.agent, to: handedTo.agent },
      });
}

/** Stores the results so far until the batch is closed. HEAD says which calls have not run (`OpenBatch.unrun`). */
export async function keepToClose(
  { loaded, io }: Pick<Step, 'loaded' | 'io'>,
  slot: number,
  results: readonly ToolResult[],
): Promise<void> {
  const kept = results.filter((result) => mayHaveRun(result) && !result.awaits);
  await allEnded(kept.map((result) => io.sessions.putResult(loaded.key, slot, result)));
}

/**
 * Judges the results, each and all together. A guard's note on a result is stored with it. Only the guards that asked for a
 * system call see its result, and they then say whether the answer is accepted.
 */
function observe(
  step: SessionPart & Pick<Step, 'answers' | 'guards' | 'tools'>,
  plan: BatchPlan,
  ran: readonly ToolResult[],
  { made }: BatchOf,
): ObservedResults & { readonly results: readonly ToolResult[] } {
  const { tools } = step;
  const guards = made ? step.guards.filter(({ checks }) => checks) : step.guards;
  let { session } = plan;
  const spoken: Spoken[] = [];
  const done: Done[] = [];
  const results: ToolResult[] = [];
  for (const [i, planned] of plan.calls.entries()) {
    if (!ran[i]) continue;
    const { late: _, ...result } = ran[i];
    const { call } = planned;
    const tool = toolOf(tools, call);
    const judged = judge(guards, 'result', session, { call, result, tool });
    session = withNudges(judged.session, judged.spoken);
    spoken.push(...judged.spoken);
    if (wasRun(result)) done.push({ call, result, tool });
    // For every result of a run call, wherever it comes from: run now, the queue, the cache, or a dead owner.
    const before = planned.note && wasRun(result) ? { note: planned.note } : {};
    results.push({ ...result, ...noteOf(judged.spoken), ...before });
  }
  const halt = spoken.find((verdict) => verdict.kind === 'halt');
  let onward: ObservedResults['onward'] = { ending: { kind: 'continue' } };
  if (made) {
    const judged = gated(step, session, guards);
    ({ session, onward } = judged);
    spoken.push(...judged.spoken);
  } else if (!plan.halt) {
    const calls = plan.calls.map(({ call }) => call);
    const judged = judge(guards, 'batch', session, { calls, done, tools, ends: halt !== undefined });
    const due = dueOf(judged.spoken);
    session = withNudges(due ? withRun(judged.session, { due }) : judged.session, judged.spoken);
    spoken.push(...judged.spoken);
  }
  session = heardFrom(withUse(session, usedByChildren(results)), speakersIn(results));
  session = withBackground(session, results);
  const { toolCalls, activeMs } = runOf(session);
  const toolsMs = batchMs(plan, ran);
  const run = { toolCalls: toolCalls + (made ? 0 : plan.calls.length), activeMs: activeMs + toolsMs };
  return { session: withRun(session, run), spoken, halt, toolsMs, results, onward };
}

/** The people whose words come with the answers of children and of pages. */
const speakersIn = (results: readonly ToolResult[]): readonly Speaker[] =>
  results.flatMap(({ child, answeredBy }) => [
    ...(child?.speakers ?? []),
    ...(answeredBy ? [answeredBy] : []),
  ]);

/** The calls of a group run at the same time, so the longest counts. */
function batchMs({ calls }: BatchPlan, results: readonly ToolResult[]): number {
  const msOf = ({ call }: PlannedCall) => results.find(({ callId }) => callId === call.id)?.durationMs ?? 0;
  return groupCalls(calls).reduce((sum, group) => sum + Math.max(...group.map(msOf)), 0);
}
