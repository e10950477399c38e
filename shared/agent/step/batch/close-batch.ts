import type { AgUiEvent, Decided } from '../../../contract/events.ts';
import { judge } from '../../guardrails/judge.ts';
import { own } from '../../plain/merge.ts';
import { isPlanning } from '../../session/proposals.ts';
import { callsOf } from '../../session/reply.ts';
import type { Session } from '../../session/session.ts';
import { runOf } from '../../session/session.ts';
import type { Change, ToolCall, ToolResult } from '../../session/slots.ts';
import { heardFrom, speakersIn } from '../../session/speakers.ts';
import type { OpenBatch, Wait } from '../../session/waits.ts';
import { texts } from '../../texts.ts';
import { notRun } from '../../tools/execute.ts';
import { standIn } from '../../tools/planning.ts';
import type { Draft, Ended } from '../draft.ts';
import { preflightOf } from '../model/preflight.ts';
import { batchReplyOf } from '../open/recovered.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { Step } from '../open/step-context.ts';
import { messageCame } from '../open/waiting.ts';
import { refusedNow, withGrants } from './denied.ts';
import { grantsGiven, leaveNow, refusedSince, saidBy } from './permission.ts';
import { overLimit, type PlannedCall, toRun, withoutStarting } from './plan-batch.ts';
import { readAwaiting } from './read-awaiting.ts';
import { type Proposals, readProposals } from './read-proposals.ts';
import { batchOf, runAndKeep } from './run-batch.ts';
import { approvalId } from './waits.ts';

/**
 * Closes an open batch. Every call gets its result from what was decided, run or stored, or it waits on in the queue after
 * people have approved it. A run that is to end starts nothing more.
 */
export async function closeBatch(opened: Step, abandon: boolean): Promise<Draft> {
  const step = withSpeakers(opened);
  const { loaded, session, io, guards } = step;
  const { batch } = session;
  const reply = batchReplyOf(session, loaded.slots);
  if (!batch || !reply) throw new Error(`session ${loaded.key.sessionId}: its open batch has no reply`);

  const asked = guards.filter(({ urgent }) => urgent);
  const admitted = judge(asked, 'preflight', session, preflightOf(step, abandon));
  const halt = admitted.verdict?.kind === 'halt' ? admitted.verdict : undefined;
  const kept = await io.sessions.results(loaded.key, batch.slot);
  const calls = callsOf(reply);
  const late = hasLate(step, batch, kept)
    ? await (await readAwaiting()).findLate(step, batch, calls, kept, halt !== undefined)
    : { results: [], answers: {}, answered: [] };
  // The facts that this step knows take precedence: a worker that was presumed dead may have stored a result since.
  const found = [...late.results, ...kept];
  const of = batchOf({ n: batch.slot }, runOf(session).id, reply, isPlanning(session));
  const { proposes } = of;
  const refused = await refusedSince(step, batch, calls, proposes);
  const plan = reply.changes && { changes: reply.changes, ...(await readProposals()) };
  const decided = calls.map((call, at) => {
    const known = knownOf(step, batch, call, at, found, halt !== undefined, late.answers, plan);
    const said = saidBy(step, batch, call, at);
    const planned = heldBack(step, proposes ? standingIn(known) : known, batch, refused);
    return said ? { ...planned, said } : planned;
  });
  const heard = halt
    ? admitted.session
    : withGrants(
        calls.reduce((to, call) => tellDecided(step, batch, call, to), admitted.session),
        await grantsGiven(step, batch, calls),
      );
  const planned = { session: heard, spoken: [], calls: decided };
  const toDo = halt
    ? await (await readAwaiting()).settled(step, batch.slot, withoutStarting(planned, kept), planned)
    : planned;

  const { tools: recovered } = step.recovered;
  if (step.isRetry) tellSnapshot(step, recovered ? [recovered] : [], []);
  const stillWaits = (wait: Wait) =>
    late.results.some(({ callId, awaits }) => awaits && callId === wait.callId);
  for (const event of batch.waits.flatMap((wait) =>
    stillWaits(wait) ? [] : toDecided(step, wait, halt !== undefined, late.answered),
  ))
    step.stream.emit(event);
  const note = plan?.noteOf(batch, loaded);
  const outcome = await runAndKeep(step, toDo, of, Promise.resolve(), note);
  const nothing = { incorporated: [], events: [] };
  if ('waits' in outcome) {
    return {
      ...nothing,
      session: { ...toDo.session, batch: note === undefined ? outcome : { ...outcome, note } },
      spoken: admitted.spoken,
      ending: { kind: 'wait' },
    };
  }
  const closed = { ...outcome.session, version: session.version + 1 };
  const ending: Ended | undefined = halt ?? outcome.halt;
  return {
    ...nothing,
    toolsMs: outcome.toolsMs,
    session: { ...closed, batch: undefined },
    spoken: [...admitted.spoken, ...outcome.spoken],
    ...(ending ? { ending: { kind: 'halt', halt: ending } } : outcome.onward),
  };
}

/** The step with the people who speak through the decisions on its batch among the speakers of its run. */
function withSpeakers(step: Step): Step {
  const { batch } = step.session;
  const speakers = batch ? speakersIn(batch, step.loaded.view.fence.decisions) : [];
  return speakers.length > 0 ? { ...step, session: heardFrom(step.session, speakers) } : step;
}

/** Whether a call of the batch is, or may have been, answered later, or has asked a person. */
const hasLate = (
  { loaded }: Step,
  { waits, deferred, answers }: OpenBatch,
  kept: readonly ToolResult[],
): boolean => {
  const { pending, intents, started } = loaded.view.fence;
  const mayWait = (id: string) => !pending.includes(id) || started[id] !== undefined;
  return (
    deferred !== undefined ||
    answers !== undefined ||
    intents.length > 0 ||
    waits.some(
      ({ id, kind, callId, again }) =>
        again ||
        (kind === 'call' &&
          mayWait(id) &&
          (started[id]?.again || !kept.some((result) => result.callId === callId))),
    )
  );
};

/** The state of one call as known by now. Pure. */
function knownOf(
  step: Step,
  batch: OpenBatch,
  call: ToolCall,
  at: number,
  kept: readonly ToolResult[],
  ends: boolean,
  answers: Readonly<Record<string, readonly string[]>>,
  plan: (Proposals & { readonly changes: readonly Change[] }) | undefined,
): PlannedCall {
  const { loaded, tools } = step;
  const wait = batch.waits.find(({ callId }) => callId === call.id);
  const note = own(batch.notes ?? {}, call.id);
  const before = own(answers, call.id);
  const noted = { ...(note && { note }), ...(before && { answers: before }) };
  const settled = (result: ToolResult): PlannedCall => ({ kind: 'settled', call, result, ...noted });
  const said = [...(batch.unrun ?? []), ...kept].find(({ callId }) => callId === call.id);
  const result = said ?? (plan ? undefined : overLimit(call, at, loaded.pinned.limits));
  if (result) return settled(result);
  const { fence } = loaded.view;
  if (fence.intents.includes(call.id)) return settled(notRun(call, 'unknown', texts.unknownOutcome));

  if (plan) return { ...plan.decidedChange(step, batch, plan.changes[at], call, at, ends), ...noted };
  const tool = tools.find(({ name }) => name === call.name);
  // A call that has asked a person runs again; one without an answer is among the results.
  if (!wait || wait.again) return { ...toRun(call, tool), ...noted };
  const { key } = loaded;
  const cancelled = () => settled(notRun(call, 'cancelled', texts.cancelled));
  switch (wait.kind) {
    case 'approval': {
      const decision = fence.decisions[wait.id];
      // Bound to the call as it would run: a decision on other arguments does not apply to these.
      if (decision?.approved && wait.id !== approvalId(key, batch.slot, call, tool))
        return settled(notRun(call, 'refused', texts.readOtherwise));
      if (decision?.approved) return { ...toRun(call, tool), ...noted };
      if (!decision && ends) return cancelled();
      const undecided = own(batch.refused ?? {}, call.id)?.result ?? texts.approvalExpired;
      const why = decision ? texts.denied(decision.note) : undecided;
      return settled(notRun(call, 'refused', why));
    }
    case 'question': {
      const decision = fence.decisions[wait.id];
      if (decision?.approved) return settled(answered(call, decision.note ?? 'yes'));
      if (decision) return settled(notRun(call, 'refused', texts.denied(decision.note)));
      if (ends) return cancelled();
      return messageCame(loaded.inbox)
        ? settled(answered(call, texts.answeredByMessage))
        : settled(notRun(call, 'refused', texts.unanswered));
    }
    case 'call':
      if (fence.started[wait.id]) return settled(notRun(call, 'unknown', texts.unknownOutcome));
      return ends ? cancelled() : settled(notRun(call, 'cancelled', texts.callExpired));
    // Such a call is among the results, answered or not. The changes of a plan are known from above.
    case 'callback':
    case 'plan':
      return settled(notRun(call, 'unknown', texts.unknownOutcome));
    default:
      return wait.kind satisfies never;
  }
}

/** A call as it runs in plan mode, where changes are proposed instead of made. */
const standingIn = (planned: PlannedCall): PlannedCall =>
  planned.kind === 'run'
    ? { ...planned, ...toRun(planned.call, standIn(planned.tool), planned.ask) }
    : planned;

/**
 * The call with what has been decided on it by now. It is settled if it may no longer start, whatever was decided when its
 * batch was opened.
 */
function heldBack(
  step: Step,
  planned: PlannedCall,
  batch: OpenBatch,
  refused: Awaited<ReturnType<typeof refusedSince>>,
): PlannedCall {
  const { call } = planned;
  const why = planned.kind === 'run' ? refused.get(call.id) : undefined;
  if (planned.kind === 'run' && why) {
    const { result: said, ...leave } = why;
    const mayHaveBegun = step.isRetry || planned.answers !== undefined;
    return { kind: 'settled', call, result: refusedNow(call, planned.tool, said, mayHaveBegun), leave };
  }
  const tool = step.tools.find(({ name }) => name === call.name);
  const leave = leaveNow(step, batch, call, tool);
  return leave ? { ...planned, leave } : planned;
}

/** Tells the guards what people have decided: a guard that refused a call then knows whether it may run. */
function tellDecided(
  { loaded, guards, tools }: Step,
  batch: OpenBatch,
  call: ToolCall,
  session: Session,
): Session {
  const refused = own(batch.refused ?? {}, call.id);
  const tool = tools.find(({ name }) => name === call.name);
  if (!refused) return session;
  const decision = loaded.view.fence.decisions[approvalId(loaded.key, batch.slot, call, tool)];
  const refusing = guards.filter(({ name }) => refused.guards.includes(name));
  return judge(refusing, 'decided', session, { call, tool, approved: decision?.approved ?? false }).session;
}

const answered = ({ id: callId, name }: ToolCall, content: string): ToolResult => ({
  callId,
  name,
  outcome: 'ok',
  content,
  durationMs: 0,
});

/** Tells clients who decided what. */
function toDecided(
  { loaded }: Step,
  wait: Wait,
  ends: boolean,
  answeredOutside: readonly string[],
): AgUiEvent[] {
  if (wait.kind === 'call') return [];
  const decision = loaded.view.fence.decisions[wait.id];
  const value: Decided = {
    id: wait.id,
    toolCallId: wait.callId,
    outcome: answeredOutside.includes(wait.callId) ? 'answered' : outcomeOf(wait, decision, loaded, ends),
    ...(decision && { by: decision.by }),
    ...(decision?.changes && { changes: [...decision.changes] }),
  };
  return [{ type: 'CUSTOM', name: 'steploop.decided', value }];
}

function outcomeOf(
  { kind }: Wait,
  decision: { approved: boolean } | undefined,
  { inbox }: Step['loaded'],
  ends: boolean,
): Decided['outcome'] {
  if (decision) return decision.approved ? (kind === 'question' ? 'answered' : 'approved') : 'denied';
  if (ends) return 'cancelled';
  return kind === 'question' && messageCame(inbox) ? 'answered' : 'expired';
}
