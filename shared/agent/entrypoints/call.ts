import type { CallMessage } from '../../contract/queue.ts';
import { rulesOfEffect, STARTS_MS } from '../config/effects.ts';
import type { Agent } from '../define/agent.ts';
import { type TellerBeside, tellerBeside } from '../events/beside.ts';
import { blobsOf } from '../lineage/blobs.ts';
import { own } from '../plain/merge.ts';
import { hasPolicies } from '../policy/applying.ts';
import type { Ports, Settlement } from '../ports/ports.ts';
import type { Invocation } from '../ports/queue.ts';
import type { SessionView } from '../ports/sessions.ts';
import { callersOf } from '../session/caller.ts';
import { callingOf } from '../session/made.ts';
import type { Pinned } from '../session/pinned.ts';
import { isPlanning, treeAtWork } from '../session/proposals.ts';
import { callsOf } from '../session/reply.ts';
import type { Session } from '../session/session.ts';
import type { ToolCall, ToolResult } from '../session/slots.ts';
import { type CallStart, queuedIn } from '../session/waits.ts';
import { wakeFor } from '../session/wake.ts';
import { texts } from '../texts.ts';
import { type Execution, limitMsOf, notRun } from '../tools/execute.ts';
import { executeOrStop } from '../tools/execute-or-stop.ts';
import { readLater } from '../tools/read-later.ts';
import { readLeave } from '../tools/read-leave.ts';
import type { Tool } from '../tools/tool.ts';
import { toolsOf } from '../tools/toolset.ts';
import type { FilesBefore } from '../workspace/workspace.ts';

/** The ports that a queued call needs. */
export type CallPorts = Pick<
  Ports,
  | 'clock'
  | 'ids'
  | 'sessions'
  | 'queue'
  | 'blobs'
  | 'egress'
  | 'memories'
  | 'schedules'
  | 'config'
  | 'meter'
  | 'later'
  | 'log'
  | 'sockets'
>;

/** Time in ms reserved for writing the result. */
const TO_KEEP_RESULT_MS = 5_000;
/** Time in ms between the moment at which a worker must have given up and the return of its message. */
const AFTER_MS = 2_000;
/** If a worker dies before it could begin, its message comes back after this time, in ms. */
const TO_BEGIN_MS = 120_000;
/** Interval in ms at which a running call checks for a cancel and for new subscribers. */
const WATCH_MS = 1_000;

/**
 * Runs one queued call: begin → run → store the result → take it out of the waits. The worker that takes the last call out
 * wakes the session. The start is recorded before anything runs, so a `once` call never starts twice, and two deliveries do not
 * run it in parallel. Rejects only if a service cannot be reached; the message then comes back.
 */
export async function runCall(
  message: CallMessage,
  invocation: Invocation,
  agentOf: (name: string) => Agent | undefined,
  io: CallPorts,
): Promise<Settlement> {
  const lookedAt = io.clock.now();
  const [found] = await Promise.all([findCall(message, io), io.queue.hide(invocation.message, TO_BEGIN_MS)]);
  if (!found) return wakeIfSettled(message, io);
  const { view, call, pinned } = found;
  // A worker that stood still in between does not know of decisions and revocations since.
  if (io.clock.now() > lookedAt + STARTS_MS) return 'retry';
  const { limits } = pinned;
  const tools = await toolsOf(agentOf(view.session.agent), pinned);
  const deployed = tools.find(({ name }) => name === call.name);
  const tool = found.proposes ? (await readLeave()).standIn(deployed) : deployed;

  const now = io.clock.now();
  const start = startOf(invocation, now + STARTS_MS + limitMsOf(tool, limits) + TO_KEEP_RESULT_MS);
  const hide = (until: number) => io.queue.hide(invocation.message, until - now + AFTER_MS);
  const reruns = !tool || rulesOfEffect(tool.effect).rerun;
  const first = await io.sessions.beginCall(message, message.waitId, start, false, now);
  const again = first.kind === 'died' && reruns;
  const begun = again
    ? await io.sessions.beginCall(message, message.waitId, { ...start, again }, true, now)
    : first;
  switch (begun.kind) {
    case 'begun': {
      // If there are two results, the first stored one stands, so a second run would act on the outside world in vain.
      const kept = again && (await isKept(message, io));
      const refused = kept ? undefined : await whyNotBegin(agentOf(view.session.agent), found, deployed, now);
      if (io.clock.now() > now + STARTS_MS) return 'retry';
      if (kept) return taken(message, view.session, io);
      // An earlier attempt that began may have done all of it.
      if (refused !== undefined)
        return again
          ? finishDied(message, view, call, io)
          : finish(message, view, notRun(call, 'refused', refused), io);
      const deadlineAt = start.until - TO_KEEP_RESULT_MS;
      const on = { limits, skills: pinned.skills, deadlineAt, again, files: filesBefore(message, found, io) };
      const done = run(message, view, call, tool, on, io).then((result) => finish(message, view, result, io));
      const [settlement] = await Promise.all([done, hide(start.until)]);
      return settlement;
    }
    case 'died':
      return finishDied(message, view, call, io);
    // If that worker dies, this message may be all that is left of the call: the worker's own message may be another delivery
    // that is already settled.
    case 'running':
      await hide(begun.until);
      return 'retry';
    case 'closed':
      return wakeIfSettled(message, io);
    default:
      return begun satisfies never;
  }
}

/**
 * The text that the model reads for a call that may no longer start: a rule forbids it since its batch was planned, or its
 * grant has ended.
 */
async function whyNotBegin(
  agent: Agent | undefined,
  { view: { session, fence }, call, pinned, proposes }: Found,
  tool: Tool | undefined,
  now: number,
): Promise<string | undefined> {
  const taken = own(session.batch?.leaves ?? {}, call.id);
  if (!hasPolicies(agent) && taken?.grant === undefined) return undefined;
  const { refusalNow } = await readLeave();
  const { effects } = pinned.approvals;
  return refusalNow(call, tool, taken, {
    ...{ agent: agent ?? {}, session, effects, now, proposes },
    revoked: fence.revoked,
  });
}

/**
 * Gives up a call whose worker died at each try: its message is a dead letter. It records a start of its own first, so that no
 * late delivery begins the call afterwards.
 */
export async function abandonCall(
  message: CallMessage,
  invocation: Invocation,
  io: CallPorts,
): Promise<Settlement> {
  const found = await findCall(message, io);
  if (!found) return wakeIfSettled(message, io);
  const { view, call } = found;
  const start = startOf(invocation);
  const begin = (again: boolean) =>
    io.sessions.beginCall(message, message.waitId, start, again, io.clock.now());
  const first = await begin(false);
  const died = first.kind === 'died';
  // This also applies to a call that may run again: a late delivery must not begin it while it is given up.
  const begun = died ? await begin(true) : first;
  switch (begun.kind) {
    case 'begun': {
      return died
        ? finishDied(message, view, call, io)
        : finish(message, view, notRun(call, 'cancelled', texts.callDied), io);
    }
    // Another worker is running it. If that worker dies too, this message comes back.
    case 'died':
    case 'running':
      return 'retry';
    case 'closed':
      return wakeIfSettled(message, io);
    default:
      return begun satisfies never;
  }
}

/** @param until epoch ms after which nothing of the call is running */
const startOf = ({ id, deadlineAt }: Invocation, until = deadlineAt): CallStart => ({
  invocationId: id,
  until: Math.min(until, deadlineAt),
});

/** A queued call that is waited for. */
interface Found {
  readonly view: SessionView;
  readonly call: ToolCall;
  /** All calls of its batch. */
  readonly calls: readonly ToolCall[];
  /** Its batch is a plan that was decided on. */
  readonly ofPlan: boolean;
  /** Its changes are proposed instead of made. */
  readonly proposes: boolean;
  readonly pinned: Pinned;
}

/** The call, if it is still waited for. */
async function findCall(
  { waitId, slot, callId, ...key }: CallMessage,
  io: CallPorts,
): Promise<Found | undefined> {
  const view = await io.sessions.read(key);
  if (!view?.fence.pending.includes(waitId)) return undefined;
  const [slots, pinned] = await Promise.all([
    io.sessions.slots(key, slot, { below: slot + 1, bytes: Number.POSITIVE_INFINITY }),
    io.sessions.definition(key.tenant, view.session.definition),
  ]);
  if (!pinned) throw new Error(`session ${key.sessionId}: its pinned definition is missing`);
  const stored = slots.find((candidate) => candidate.slot.n === slot)?.slot;
  const calling = callingOf(stored);
  const calls = callsOf(calling);
  const call = calls.find(({ id }) => id === callId);
  const ofPlan = calling?.by === 'plan';
  const proposes = !ofPlan && isPlanning(view.session);
  return call && { view, call, calls, ofPlan, proposes, pinned };
}

async function run(
  { slot, waitId: _waitId, callId: _callId, ...key }: CallMessage,
  view: SessionView,
  call: ToolCall,
  tool: Tool | undefined,
  on: Pick<Execution, 'limits' | 'skills' | 'deadlineAt' | 'again' | 'files'>,
  io: CallPorts,
): Promise<ToolResult> {
  const stop = new AbortController();
  const done = new AbortController();
  const teller = tellerBeside(view, io);
  const watching = watch(key, view, stop, done.signal, teller, io);
  const { clock, ids, egress, memories, schedules, queue, config, meter, later } = io;
  const blobs = blobsOf(view.session, io.blobs);
  const ports = { clock, ids, blobs, egress, memories, schedules, queue, config, meter, later };
  const callers = callersOf(key.tenant, view.session.run);
  const answers = own(view.session.batch?.answers ?? {}, call.id) ?? [];
  const again = on.again || answers.length > 0;
  const { agent } = view.session;
  const of = { key, agent, slot, callers, answers, again, tell: teller.tell, slotKept: Promise.resolve() };
  try {
    return await executeOrStop(call, tool, { ...on, ...ports, ...of, signal: stop.signal });
  } finally {
    done.abort('done');
    await Promise.all([watching, teller.close()]);
  }
}

/**
 * The workspace as it is committed, with the changes of calls of the batch that ran in the step. Changes of other queued calls
 * count when the batch is closed, because which of them are done by now is chance.
 */
const filesBefore = (
  { slot, ...key }: CallMessage,
  { view: { session }, calls, ofPlan }: Found,
  { sessions }: CallPorts,
): FilesBefore => ({
  tree: treeAtWork(session),
  async changed() {
    // Changes of a plan run one after the other.
    const queued = ofPlan ? new Set<string>() : queuedIn(session.batch);
    const kept = await sessions.results(key, slot);
    return calls.flatMap(({ id }) =>
      queued.has(id) ? [] : (kept.find(({ callId }) => callId === id)?.changes ?? []),
    );
  },
});

/** Whether the call has a result. */
const isKept = async ({ slot, callId: id, ...key }: CallMessage, { sessions }: CallPorts): Promise<boolean> =>
  (await sessions.results(key, slot)).some(({ callId }) => callId === id);

/** Checks for a cancel and for new subscribers. */
async function watch(
  key: { tenant: string; sessionId: string },
  { session }: SessionView,
  stop: AbortController,
  done: AbortSignal,
  teller: TellerBeside,
  io: CallPorts,
): Promise<void> {
  while (true) {
    await io.clock.sleep(WATCH_MS, done);
    if (done.aborted) return;
    const seen = await io.sessions.watch(key).catch(() => undefined);
    if (seen) teller.subscribers(seen.subscribers);
    if (seen && seen.cancelGen > session.cancelSeen) stop.abort('cancelled');
  }
}

/** Stores the result first: a step that sees the wait resolved finds it. */
async function finish(
  message: CallMessage,
  { session }: SessionView,
  result: ToolResult,
  io: CallPorts,
): Promise<Settlement> {
  // There is no result yet: what the call waits for is stored under its wait, and the next step continues from there.
  if (result.awaits) await io.later.settle(message, message.waitId, { result });
  else await io.sessions.putResult(message, message.slot, result);
  return taken(message, session, io);
}

/**
 * As {@link finish}, for a call whose worker died: the worker may have stored what the call waits for, or given out a token
 * that was used.
 */
async function finishDied(
  message: CallMessage,
  view: SessionView,
  call: ToolCall,
  io: CallPorts,
): Promise<Settlement> {
  const { later } = io;
  if ((await later.settled(message, [message.waitId]))[message.waitId])
    return taken(message, view.session, io);
  const unknown = { result: notRun(call, 'unknown', texts.unknownOutcome) };
  const { laterId } = await readLater();
  const { stands } = await later.settle(message, laterId(message, message.slot, call), unknown);
  return finish(message, view, stands.result, io);
}

/** Takes a call whose outcome is stored out of the waits. */
async function taken(message: CallMessage, session: Session, io: CallPorts): Promise<Settlement> {
  const finished = await io.sessions.finishCall(message, message.waitId, io.clock.now());
  // It was already taken out, by an earlier try of this request or by a step that has closed the batch.
  if (finished === 'closed') return wakeIfSettled(message, io);
  if (finished === 'last') await io.queue.send(wakeFor(session));
  return 'ack';
}

/**
 * Deduplicate the effect, never the wake: the worker that took the last call out may have died before it sent one. The waits in
 * HEAD decide, not the time at which the session is due, because that worker's clock may have been ahead.
 */
async function wakeIfSettled({ tenant, sessionId }: CallMessage, io: CallPorts): Promise<Settlement> {
  const view = await io.sessions.read({ tenant, sessionId });
  const isSettled = view?.session.batch && view.fence.pending.length === 0;
  if (isSettled) await io.queue.send(wakeFor(view.session));
  return 'ack';
}
