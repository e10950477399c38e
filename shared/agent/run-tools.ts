import type { Accounted } from './account.ts';
import type { Draft, Ended } from './conclude.ts';
import { wasRun } from './guardrails/fingerprint.ts';
import type { Done, Halt, Spoken, Stages } from './guardrails/guard.ts';
import { type Judgement, judge } from './guardrails/judge.ts';
import { keepSlots } from './keep.ts';
import { runOf, type Step } from './open-step.ts';
import { toModelSlot, withNudges } from './outcomes.ts';
import { withRun } from './session.ts';
import type { ModelSlot, ToolCall, ToolResult, ToolsSlot } from './slots.ts';
import { Superseded } from './superseded.ts';
import { texts } from './texts.ts';
import {
  type BatchPlan,
  groupCalls,
  noteOf,
  type PlannedCall,
  planBatch,
  withoutStarting,
} from './tools/batch.ts';
import { type Execution, execute, notRun } from './tools/execute.ts';
import { readCache } from './tools/read-cache.ts';
import { resultMessageId } from './view.ts';

/** Time kept for writing results down, in ms, before the platform's deadline. */
const RESERVE_MS = 10_000;
/** With less than this left, in ms, a batch is left to the next invocation, which adopts the reply. */
const WORTH_STARTING_MS = 30_000;

/**
 * Judges and runs the batch of a reply. The reply's slot is written beside the calls that may be run again, and
 * before those that may not (design.md section 4, steps 4 to 6). Every call gets exactly one result, in call order.
 *
 * With `halt` the reply is a dead owner's, and the run ends: what was started has its result or an unknown outcome,
 * and nothing more is started.
 */
export async function runTools(
  step: Step,
  accounted: Accounted,
  judged: Judgement<Stages['reply']['verdict']>,
  halt: Halt | undefined,
): Promise<Draft> {
  const { loaded, guards, tools, adopted } = step;
  const { calls } = accounted.answer.reply;
  const planned = planBatch(
    calls,
    tools,
    guards,
    judged.session,
    await startedEarlier(step),
    loaded.pinned.limits,
    readCache(step.history, runOf(step.session).id, tools),
  );
  const plan = halt ? withoutStarting(planned) : planned;

  const slot = toModelSlot(step, accounted, judged.spoken);
  const slotKept = keepSlots(step, [slot]);
  if (mustLeaveToNext(step)) {
    await slotKept;
    return leftToNext(step);
  }
  if (!adopted.model) tellCalls(step, slot, calls);
  // Both to their end, also when one fails: nothing of a step goes on behind its back.
  const [ran, kept] = await Promise.allSettled([runAndKeep(step, plan, slot, slotKept), slotKept]);
  if (kept.status === 'rejected') throw kept.reason;
  if (ran.status === 'rejected') throw ran.reason;
  const observed = ran.value;

  const { toolCalls, activeMs } = runOf(observed.session);
  const run = { toolCalls: toolCalls + calls.length, activeMs: activeMs + observed.durationMs };
  const ending: Ended | undefined = halt ?? plan.halt ?? observed.halt;
  return {
    session: withRun(
      { ...withNudges(observed.session, [...judged.spoken, ...observed.spoken]), version: slot.n + 2 },
      run,
    ),
    incorporated: accounted.turn.incorporated,
    spoken: [...slot.verdicts, ...plan.spoken, ...observed.spoken],
    events: [accounted.usageEvent],
    ending: ending ? { kind: 'halt', halt: ending } : { kind: 'continue' },
  };
}

/** What guards made of the results. */
type ObservedResults = Pick<BatchPlan, 'session' | 'spoken'> & {
  readonly halt: Ended | undefined;
  /** Time of the batch in ms, as its results tell it. */
  readonly durationMs: number;
};

/** Runs what is planned and writes the tools slot: not after the reply's slot, but beside it. */
async function runAndKeep(
  step: Step,
  plan: BatchPlan,
  slot: ModelSlot,
  slotKept: Promise<void>,
): Promise<ObservedResults> {
  const ran = step.adopted.tools?.results ?? (await runBatch(step, plan, slotKept));
  const { results, ...observed } = observe(step, plan, ran);
  const batch: ToolsSlot = {
    kind: 'tools',
    n: slot.n + 1,
    runId: slot.runId,
    replyTo: slot.reply?.messageId ?? '',
    results,
    verdicts: [...plan.spoken, ...observed.spoken],
  };
  await keepSlots(step, [batch]);
  return observed;
}

async function runBatch(step: Step, plan: BatchPlan, slotKept: Promise<void>): Promise<ToolResult[]> {
  const unsafe = plan.calls.flatMap((planned) =>
    planned.kind === 'run' && planned.unsafe ? planned.call.id : [],
  );
  const cancelled = unsafe.length > 0 && (await fenceUnsafe(step, unsafe, slotKept)) === 'cancelled';
  const on = executionOf(step);
  const results: ToolResult[] = [];
  for (const group of groupCalls(plan.calls)) {
    results.push(...(await Promise.all(group.map((planned) => runOne(step, planned, on, cancelled)))));
  }
  return results;
}

/** Nothing unsafe starts before the reply that asked for it is kept and the start itself is on record. */
async function fenceUnsafe(
  { loaded, io, session }: Step,
  callIds: readonly string[],
  slotKept: Promise<void>,
): Promise<'fenced' | 'cancelled'> {
  const { key, view } = loaded;
  const { epoch, cancelGen } = view.fence;
  const [fenced] = await Promise.all([io.sessions.fence(key, epoch, cancelGen, callIds), slotKept]);
  if (fenced === 'fenced') return 'fenced';
  const seen = await io.sessions.watch(key);
  if (seen?.epoch === epoch && seen.cancelGen > session.cancelSeen) return 'cancelled';
  throw new Superseded();
}

async function runOne(
  step: Step,
  planned: PlannedCall,
  on: Execution,
  cancelled: boolean,
): Promise<ToolResult> {
  const { lease, loaded, session, io } = step;
  if (lease.stopped() === 'lost') throw new Superseded();
  const result =
    planned.kind === 'settled'
      ? planned.result
      : cancelled || lease.stopped() === 'cancelled'
        ? notRun(planned.call, 'cancelled', texts.cancelled)
        : await execute(planned.call, planned.tool, on);
  if (planned.kind === 'run' && planned.unsafe) {
    // Kept at once, should this worker die in a later call. The tools slot says the same, so a failure here is no loss.
    await io.sessions.putResult(loaded.key, session.version, result).catch(() => {});
  }
  tellResult(step, result);
  return result;
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
    session = judged.session;
    spoken.push(...judged.spoken);
    if (wasRun(result)) done.push({ call, result, tool });
    const before = planned.kind === 'run' && planned.note && wasRun(result) ? { note: planned.note } : {};
    results.push({ ...result, ...noteOf(judged.spoken), ...before });
  }
  const halt = spoken.find((verdict) => verdict.kind === 'halt');
  if (!plan.halt) {
    const calls = plan.calls.map(({ call }) => call);
    const judged = judge(guards, 'batch', session, { calls, done, tools });
    session = judged.session;
    spoken.push(...judged.spoken);
  }
  return { session, spoken, halt, results, durationMs: batchMs(plan, ran) };
}

/** Calls of a group run at the same time: the longest counts (L7). */
function batchMs({ calls }: BatchPlan, results: readonly ToolResult[]): number {
  const msOf = ({ call }: PlannedCall) => results.find(({ callId }) => callId === call.id)?.durationMs ?? 0;
  return groupCalls(calls).reduce((sum, group) => sum + Math.max(...group.map(msOf)), 0);
}

/** Unsafe calls that a dead owner started, and what it kept of them. Asks only when there are any. */
async function startedEarlier({ loaded, session, io }: Step) {
  const started = loaded.view.fence.intents;
  if (started.length === 0) return { started, results: [] };
  return { started, results: await io.sessions.results(loaded.key, session.version) };
}

/** Whether too little time is left to begin a batch. Not when this step adopted its reply: it began with all its time. */
function mustLeaveToNext({ adopted, invocation, io }: Step): boolean {
  return !adopted.model && invocation.deadlineAt - io.clock.now() < WORTH_STARTING_MS;
}

/** Only the try is counted: the next invocation finds the reply's slot, adopts it, and counts the rest then. */
function leftToNext({ session }: Step): Draft {
  const left = withRun(session, { retries: runOf(session).retries + 1 });
  return { session: left, incorporated: [], spoken: [], events: [], ending: { kind: 'leave' } };
}

function executionOf({ loaded, session, invocation, io, lease }: Step): Execution {
  return {
    key: loaded.key,
    slot: session.version,
    limits: loaded.pinned.limits,
    clock: io.clock,
    blobs: io.blobs,
    config: io.config,
    signal: lease.signal,
    deadlineAt: invocation.deadlineAt - RESERVE_MS,
  };
}

function tellCalls({ stream }: Step, { reply }: ModelSlot, calls: readonly ToolCall[]): void {
  for (const { id: toolCallId, name, input } of calls) {
    stream.emit({
      type: 'TOOL_CALL_START',
      toolCallId,
      toolCallName: name,
      parentMessageId: reply?.messageId,
    });
    stream.emit({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input) });
    stream.emit({ type: 'TOOL_CALL_END', toolCallId });
  }
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
