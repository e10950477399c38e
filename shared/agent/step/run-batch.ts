import { resultMessageId } from '../events/snapshot.ts';
import { wasRun } from '../guardrails/fingerprint.ts';
import type { Done } from '../guardrails/guard.ts';
import { judge } from '../guardrails/judge.ts';
import { Superseded } from '../plain/superseded.ts';
import { callersOf } from '../session/caller.ts';
import { runOf, withRun } from '../session/session.ts';
import type { FileChange, ToolResult, ToolsSlot } from '../session/slots.ts';
import type { Spoken } from '../session/verdict.ts';
import type { OpenBatch } from '../session/waits.ts';
import { texts } from '../texts.ts';
import { type Execution, execute, notRun } from '../tools/execute.ts';
import type { FilesBefore } from '../workspace/workspace.ts';
import { admitCall } from './admit-call.ts';
import { changesOf, filesAfter, fitTogether } from './batch-files.ts';
import type { Ended } from './conclude.ts';
import { keepSlots } from './keep.ts';
import type { Step } from './opened.ts';
import { withNudges } from './outcomes.ts';
import { type BatchPlan, groupCalls, noteOf, type PlannedCall } from './plan-batch.ts';
import { isQueued, mayHaveRun, openForCalls } from './waits.ts';

/** Time kept for writing results down, in ms, before the platform's deadline. */
const TO_KEEP_RESULTS_MS = 10_000;

/** The reply whose batch it is. */
export interface BatchOf {
  /** Number of the reply's slot; the batch's is the next one. */
  readonly slot: number;
  readonly runId: string;
  readonly messageId: string;
}

/** What guards made of the results, and want told with them. The batch is counted in the run. */
export type ObservedResults = Pick<BatchPlan, 'session' | 'spoken'> & {
  readonly halt: Ended | undefined;
  /** Time in ms that the batch took. */
  readonly toolsMs: number;
};

/**
 * Runs what is planned and writes the tools slot: not after the reply's slot, but beside it. With queued calls the batch
 * stays open instead: what else has run is kept first, to be found when the last of them is done.
 */
export async function runAndKeep(
  step: Step,
  plan: BatchPlan,
  of: BatchOf,
  slotKept: Promise<void>,
): Promise<ObservedResults | OpenBatch> {
  const { tools: adopted } = step.adopted;
  const ran = adopted?.results ?? (await runBatch(step, plan, of, slotKept));
  const queued = adopted ? [] : plan.calls.filter(isQueued);
  if (queued.length > 0) {
    await slotKept;
    await keepToClose(step, of.slot, ran);
    return openForCalls(step.loaded, of.slot, queued, plan.calls, ran, step.io.clock.now());
  }
  const before = plan.session.workspace;
  const files = adopted ? { results: ran, tree: adopted.workspace } : await filesAfter(step, before, ran);
  const session = files.tree ? { ...plan.session, workspace: files.tree } : plan.session;
  const { results, ...observed } = observe(step, { ...plan, session }, files.results);
  const batch: ToolsSlot = {
    kind: 'tools',
    n: of.slot + 1,
    runId: of.runId,
    replyTo: of.messageId,
    results,
    verdicts: [...plan.spoken, ...observed.spoken],
    ...(files.tree && { workspace: files.tree }),
  };
  await keepSlots(step, [batch]);
  return observed;
}

/** Keeps what has run until the batch is closed. What has not is said in HEAD (`OpenBatch.unrun`). */
export async function keepToClose(
  { loaded, io }: Step,
  slot: number,
  results: readonly ToolResult[],
): Promise<void> {
  const kept = results.filter(mayHaveRun);
  await Promise.all(kept.map((result) => io.sessions.putResult(loaded.key, slot, result)));
}

/** The results of all calls that do not go to the queue, in call order. */
async function runBatch(
  step: Step,
  plan: BatchPlan,
  of: BatchOf,
  slotKept: Promise<void>,
): Promise<ToolResult[]> {
  const here = plan.calls.filter((planned) => !isQueued(planned));
  const results: ToolResult[] = [];
  const tree = plan.session.workspace;
  let changed: readonly FileChange[] = [];
  let keeping = Promise.resolve();
  for (const group of groupCalls(here)) {
    // What changes something is alone in its group. Its start goes on record while the result of the one before is kept.
    const admitted = Promise.all(group.map((planned) => admitCall(step, planned, slotKept)));
    const [start] = await Promise.allSettled([admitted, keeping]);
    if (start.status === 'rejected') throw start.reason;
    const before = changed;
    const on = executionOf(step, of, plan, { tree, changed: () => before });
    const ran = await Promise.all(group.map((planned) => runOne(step, planned, on)));
    // What was settled before this step has been looked at, or is when the batch is put together.
    const done = group.some(({ kind }) => kind === 'run') ? await fitTogether(step, tree, before, ran) : ran;
    changed = [...before, ...changesOf(done)];
    results.push(...done);
    if (group.some(isUnsafe)) keeping = keep(step, of, done);
    // Of two results of one call the first that is kept stands: what stays open is told when it closes.
    if (here.length === plan.calls.length) for (const result of done) tellResult(step, result);
  }
  await keeping;
  return results;
}

const isUnsafe = (planned: PlannedCall): boolean => planned.kind === 'run' && planned.unsafe;

/**
 * Kept at once, should this worker die in a later call. The tools slot says the same, so a failure here is no loss. Not of a call
 * that was not started: the first result that is kept stands, and a later owner may start it.
 */
async function keep({ loaded, io }: Step, { slot }: BatchOf, [result]: readonly ToolResult[]): Promise<void> {
  if (result && mayHaveRun(result)) await io.sessions.putResult(loaded.key, slot, result).catch(() => {});
}

async function runOne({ lease }: Step, planned: PlannedCall, on: Execution): Promise<ToolResult> {
  const stopped = lease.stopped();
  if (stopped === 'lost') throw new Superseded();
  if (planned.kind === 'settled') return planned.result;
  if (stopped === 'cancelled') return notRun(planned.call, 'cancelled', texts.cancelled);
  // It would be told to stop before it has done anything, and its outcome would be unknown.
  if (stopped === 'deadline') return notRun(planned.call, 'cancelled', texts.noTimeLeft);
  return execute(planned.call, planned.tool, on);
}

/** Judges the results, each and all together. What guards say on a result is kept with it. */
function observe(
  step: Step,
  plan: BatchPlan,
  ran: readonly ToolResult[],
): ObservedResults & { readonly results: readonly ToolResult[] } {
  const { guards, tools } = step;
  let { session } = plan;
  const spoken: Spoken[] = [];
  const done: Done[] = [];
  const results: ToolResult[] = [];
  for (const [i, planned] of plan.calls.entries()) {
    const result = ran[i];
    if (!result) continue;
    const { call } = planned;
    const tool = tools.find(({ name }) => name === call.name);
    const judged = judge(guards, 'result', session, { call, result, tool });
    session = withNudges(judged.session, judged.spoken);
    spoken.push(...judged.spoken);
    if (wasRun(result)) done.push({ call, result, tool });
    // Of every result of a run call, wherever it comes from: run now, from the queue, from the cache, of a dead owner.
    const before = planned.note && wasRun(result) ? { note: planned.note } : {};
    results.push({ ...result, ...noteOf(judged.spoken), ...before });
  }
  const halt = spoken.find((verdict) => verdict.kind === 'halt');
  if (!plan.halt) {
    const calls = plan.calls.map(({ call }) => call);
    const judged = judge(guards, 'batch', session, { calls, done, tools, ends: halt !== undefined });
    session = withNudges(judged.session, judged.spoken);
    spoken.push(...judged.spoken);
  }
  const { toolCalls, activeMs } = runOf(session);
  const toolsMs = batchMs(plan, ran);
  const run = { toolCalls: toolCalls + plan.calls.length, activeMs: activeMs + toolsMs };
  return { session: withRun(session, run), spoken, halt, toolsMs, results };
}

/** Calls of a group run at the same time: the longest counts (L7). */
function batchMs({ calls }: BatchPlan, results: readonly ToolResult[]): number {
  const msOf = ({ call }: PlannedCall) => results.find(({ callId }) => callId === call.id)?.durationMs ?? 0;
  return groupCalls(calls).reduce((sum, group) => sum + Math.max(...group.map(msOf)), 0);
}

function executionOf(
  { loaded, invocation, io, lease }: Step,
  { slot }: BatchOf,
  { session }: BatchPlan,
  files: FilesBefore,
): Execution {
  return {
    files,
    key: loaded.key,
    slot,
    callers: callersOf(loaded.key.tenant, session.run),
    limits: loaded.pinned.limits,
    clock: io.clock,
    blobs: io.blobs,
    egress: io.egress,
    memories: io.memories,
    config: io.config,
    meter: io.meter,
    signal: lease.signal,
    deadlineAt: invocation.deadlineAt - TO_KEEP_RESULTS_MS,
  };
}

function tellResult({ stream }: Step, { callId: toolCallId, content }: ToolResult): void {
  stream.emit({
    type: 'TOOL_CALL_RESULT',
    messageId: resultMessageId(toolCallId),
    toolCallId,
    content,
    role: 'tool',
  });
}
