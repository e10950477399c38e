import { attachedTo, resultMessageId } from '../../events/snapshot.ts';
import { atMost } from '../../plain/at-most.ts';
import { isRecord } from '../../plain/merge.ts';
import { readOnce } from '../../plain/read-once.ts';
import { Superseded } from '../../plain/superseded.ts';
import { callersOf } from '../../session/caller.ts';
import type { Leave } from '../../session/leave.ts';
import { mayHaveRun } from '../../session/may-have-run.ts';
import { treeAtWork } from '../../session/proposals.ts';
import type { Session } from '../../session/session.ts';
import { SKILL_TOOL, shortVersion } from '../../session/skills.ts';
import type { Made, ToolCall, ToolResult } from '../../session/slots.ts';
import { type Task, tasksIn } from '../../session/tasks.ts';
import { queuedIn } from '../../session/waits.ts';
import { texts } from '../../texts.ts';
import { type Execution, notRun } from '../../tools/execute.ts';
import { executeOrStop } from '../../tools/execute-or-stop.ts';
import { readLater } from '../../tools/read-later.ts';
import type { FilesBefore } from '../../workspace/workspace.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import { changesOf, fitTogether } from '../open/workspace-files.ts';
import { admitGroup, admitStill } from './admit-group.ts';
import { refusedNow } from './denied.ts';
import { groupCalls } from './groups.ts';
import { mayHaveBegun } from './known.ts';
import { type BatchPlan, isQueued, type PlannedCall, type RunCall } from './planned-call.ts';
import { readChildren, readHandingOff } from './read-children.ts';

/** Time reserved for writing results, in ms, before the platform's deadline. */
const TO_KEEP_RESULTS_MS = 10_000;

/** The reply that a batch belongs to. */
export interface BatchOf {
  /** Number of the reply's slot; the batch's is the next one. */
  readonly slot: number;
  readonly runId: string;
  readonly messageId: string;
  /** Set when the system asked for the batch. */
  readonly made?: Made['by'];
  /** Changes of its calls are proposed instead of made. */
  readonly proposes: boolean;
}

/** This many results of one batch are never left out. */
const ALWAYS_WHOLE = 10;

/** The results known so far. */
type Known = ReadonlyMap<PlannedCall, ToolResult>;

/** The results of all calls that do not go to the queue, in call order. */
export async function runBatch(
  step: Step,
  plan: BatchPlan,
  of: BatchOf,
  slotKept: Promise<void>,
): Promise<ToolResult[]> {
  const here = plan.calls.filter((planned) => !isQueued(planned));
  const tree = treeAtWork(plan.session);
  const known = new Map<PlannedCall, ToolResult>(
    here.flatMap((one) => (one.kind === 'settled' ? [[one, one.result] as const] : [])),
  );
  const told: ToolResult[] = [];
  // If a call has two results, the first stored one stands, so a batch that stays open tells its results when it closes.
  // Results from the queue are told after all of them have been compared, and a proposal is told when it has its number.
  const tells = !of.proposes && here.length === plan.calls.length && queuedIn(step.session.batch).size === 0;
  let keeping = Promise.resolve();
  for (const group of groupCalls(here)) {
    const why = whyNoMore(step, inOrder(here, known));
    // No other call runs beside a `once` call. Its start is recorded while the previous result is being stored.
    const askedAt = step.io.clock.now();
    const admitted = why === undefined ? admitGroup(step, group, slotKept) : undefined;
    const [start] = await Promise.allSettled([admitted, keeping]);
    if (start.status === 'rejected') throw start.reason;
    const running = group.filter((planned) => planned.kind === 'run');
    const ended = new Map<PlannedCall, ToolResult>();
    const jobs = running.map((planned) => async () => {
      const whyNow = why ?? whyNoMore(step, inOrder(here, new Map([...known, ...ended])));
      const changed = changesBefore(planned, here, known);
      const files = { tree, changed: () => changed };
      const tasks = tasksBefore(planned, here, known, plan.session);
      const result = await runOne(step, plan, planned, whyNow, askedAt, {
        ...executionOf(step, of, plan, files, slotKept),
        tasks,
      });
      ended.set(planned, result);
      return result;
    });
    const runs = atMost(step.loaded.pinned.limits.maxParallelCalls, jobs);
    // All run to their end, even if one fails, so that nothing of a step continues in the background.
    await Promise.allSettled(runs);
    const others = changesOf(inOrder(here, known));
    const done = await fitTogether(step, tree, others, await Promise.all(runs), mayHaveBegun(step));
    learn(known, running, done);
    const shown = await fitInContext(step, of, told, inOrder(group, known), here.length);
    learn(known, group, shown);
    told.push(...shown);
    const unsafe = shown.find((_, i) => isUnsafe(group[i]));
    if (unsafe) keeping = keep(step, of, unsafe);
    if (tells) tellResults(step, shown);
  }
  await keeping;
  return inOrder(here, known);
}

const isUnsafe = (planned: PlannedCall | undefined): boolean => planned?.kind === 'run' && planned.unsafe;

/** Calls and their results are at the same positions. */
function learn(
  known: Map<PlannedCall, ToolResult>,
  calls: readonly PlannedCall[],
  of: readonly ToolResult[],
) {
  for (const [i, planned] of calls.entries()) {
    const result = of[i];
    if (result) known.set(planned, result);
  }
}

/** Few batches have results that may have to be left out. */
async function fitInContext(
  step: SessionPart & Pick<Step, 'io'>,
  { slot }: BatchOf,
  told: readonly ToolResult[],
  ended: readonly ToolResult[],
  calls: number,
): Promise<readonly ToolResult[]> {
  if (calls <= ALWAYS_WHOLE) return ended;
  return (await readLeavingOut()).leaveOut(step, slot, told, ended, ALWAYS_WHOLE);
}

/** Loads the code that leaves results out. */
export const readLeavingOut = readOnce(() => import('./deferred.ts'));

/** Text that the model reads for the remaining calls when too many calls in a row have failed. */
function whyNoMore({ loaded }: Pick<Step, 'loaded'>, over: readonly ToolResult[]): string | undefined {
  const { maxFailuresInARow: most } = loaded.pinned.limits;
  const failures = mostInARow(over);
  return most > 0 && failures >= most ? afterFailures(failures) : undefined;
}

const afterFailures = (failures: number): string =>
  `Error [skipped]: ${failures} calls of this reply in a row have failed, so this one was not run. Read their errors first; make it again if it is still right.`;

/**
 * The longest series of failed calls in the batch, among the calls that are over, in call order, whatever their groups. A call
 * that was not run is not a failure, and does not interrupt a series.
 */
function mostInARow(results: readonly ToolResult[]): number {
  let [most, row] = [0, 0];
  for (const result of results.filter(mayHaveRun)) {
    row = result.outcome === 'ok' ? 0 : row + 1;
    most = Math.max(most, row);
  }
  return most;
}

const inOrder = (calls: readonly PlannedCall[], known: Known): ToolResult[] =>
  calls.flatMap((planned) => known.get(planned) ?? []);

/** The changes that a call sees: those of calls that were asked for earlier and are over, including calls that a dead owner has run. */
const changesBefore = (planned: PlannedCall, calls: readonly PlannedCall[], known: Known) =>
  changesOf(inOrder(calls.slice(0, calls.indexOf(planned)), known));

/** The list of tasks that a call sees: as the last earlier call that changed it has left it. */
const tasksBefore = (
  planned: PlannedCall,
  calls: readonly PlannedCall[],
  known: Known,
  session: Session,
): readonly Task[] =>
  inOrder(calls.slice(0, calls.indexOf(planned)), known).findLast(({ tasks }) => tasks)?.tasks ??
  tasksIn(session);

/**
 * Stored at once, in case this worker dies in a later call. The tools slot contains the same result, so a failure here loses
 * nothing. The result of a call that was not started is not stored: the first stored result stands, and a later owner may still
 * start the call.
 */
async function keep(
  { loaded, io }: Pick<Step, 'loaded' | 'io'>,
  { slot }: BatchOf,
  result: ToolResult,
): Promise<void> {
  if (mayHaveRun(result) && !result.awaits)
    await io.sessions.putResult(loaded.key, slot, result).catch(() => {});
}

/** Why a call is not run. Without time left it would be stopped before it has done anything, and its outcome would be unknown. */
const tooLate = { cancelled: texts.cancelled, deadline: texts.noTimeLeft };

/**
 * @param why set when it is not to be run
 * @param askedAt epoch ms at which HEAD was asked whether it may start
 */
async function runOne(
  step: Step,
  plan: BatchPlan,
  { call, tool, leave, answers = [] }: RunCall,
  why: string | undefined,
  askedAt: number,
  on: Execution,
): Promise<ToolResult> {
  const again = on.again || answers.length > 0;
  if (why === undefined) await admitStill(step, { tool }, askedAt);
  const { lease } = step;
  const stopped = lease.stopped();
  if (stopped === 'lost') throw new Superseded();
  const whyNot = why ?? (stopped ? tooLate[stopped] : undefined);
  // Earlier calls may have taken long, so its grant may have ended.
  if (whyNot === undefined && isOver(leave, lease.revoked(), on.clock.now()))
    return refusedNow(call, tool, texts.leaveOver, again);
  if (whyNot === undefined) {
    step.times.calls.set(call.id, on.clock.now());
    if (tool?.sends) return (await readChildren()).sendToChild(step, plan, call, tool, on);
    if (tool?.delegates) return (await readChildren()).beginChild(step, plan, call, tool, on);
    if (tool?.handsOffTo) return (await readHandingOff()).handOff(step, plan, call, tool);
    const toolNames = step.loaded.pinned.tools.map(({ name }) => name);
    const result = await executeOrStop(call, tool, { ...on, answers, again, toolNames });
    tellSkill(step, call, result);
    return result;
  }
  const result = notRun(call, 'cancelled', whyNot);
  // It may have run before, and its token may have been given out.
  return again ? (await readLater()).ownOrAnswered(call, result, on) : result;
}

/** Tells clients which skill a call has read. */
function tellSkill(
  { loaded, stream }: Pick<Step, 'loaded' | 'stream'>,
  { name, id: toolCallId, input }: ToolCall,
  { outcome }: ToolResult,
): void {
  const { skills } = loaded.pinned;
  if (!skills || name !== SKILL_TOOL || outcome !== 'ok' || !isRecord(input)) return;
  const { name: skill, path } = input;
  if (typeof skill !== 'string' || skill === '') return;
  const hash = skills.list.find((one) => one.name === skill)?.hash;
  const value = {
    toolCallId,
    skill,
    ...(hash && { version: shortVersion(hash) }),
    ...(typeof path === 'string' && path !== '' && { path }),
  };
  stream.emit({ type: 'CUSTOM', name: 'steploop.skill', value });
}

/** Whether a call relies only on a grant that has expired or was revoked. */
const isOver = (leave: Leave | undefined, revoked: readonly string[], now: number): boolean =>
  leave?.grant !== undefined &&
  leave.by === undefined &&
  ((leave.until !== undefined && leave.until <= now) || revoked.includes(leave.grant));

function executionOf(
  step: Pick<Step, 'invocation' | 'io' | 'isRetry' | 'lease' | 'loaded' | 'recovered' | 'session' | 'stream'>,
  { slot }: BatchOf,
  { session }: BatchPlan,
  files: FilesBefore,
  slotKept: Promise<void>,
): Execution {
  const { loaded, invocation, io, lease, stream } = step;
  return {
    files,
    key: loaded.key,
    slot,
    callers: callersOf(loaded.key.tenant, session.run),
    limits: loaded.pinned.limits,
    skills: loaded.pinned.skills,
    clock: io.clock,
    blobs: io.blobs,
    egress: io.egress,
    memories: io.memories,
    schedules: io.schedules,
    queue: io.queue,
    agent: session.agent,
    config: io.config,
    meter: io.meter,
    tell: (value) => stream.emit({ type: 'CUSTOM', name: 'steploop.progress', value }),
    later: io.later,
    ids: io.ids,
    answers: [],
    again: mayHaveBegun(step),
    slotKept,
    signal: lease.signal,
    deadlineAt: invocation.deadlineAt - TO_KEEP_RESULTS_MS,
  };
}

export function tellResults(
  { stream, session, isRetry }: Pick<Step, 'stream' | 'session' | 'isRetry'>,
  results: readonly ToolResult[],
): void {
  for (const { callId: toolCallId, content, attachments, awaits } of results) {
    // Some results were told before the batch was left open. A step that takes over has told clients the committed conversation
    // instead, without these results.
    if (awaits || (!isRetry && session.batch?.told?.includes(toolCallId))) continue;
    const messageId = resultMessageId(toolCallId);
    stream.emit({ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool' });
    if (attachments) stream.emit(attachedTo(messageId, attachments));
  }
}
