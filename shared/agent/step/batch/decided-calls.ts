import { judge } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import { own } from '../../plain/merge.ts';
import { toolOf } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import type { Decision, OpenBatch, Wait } from '../../session/waits.ts';
import { texts } from '../../texts.ts';
import { notRun } from '../../tools/execute.ts';
import { standIn } from '../../tools/planning.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Loaded } from '../open/load.ts';
import type { Step } from '../open/step-context.ts';
import { answerCame } from '../open/waiting.ts';
import { refusedNow } from './denied.ts';
import { type BatchFacts, resultIn } from './known.ts';
import { leaveNow, type refusedSince, saidBy } from './permission.ts';
import { overLimit, type PlannedCall, settled, toRun } from './planned-call.ts';
import { approvalId } from './waits.ts';

/** An open batch, with all that decides what comes next for its calls. */
export interface Decided {
  readonly step: Pick<Step, 'loaded' | 'tools' | 'isRetry'>;
  readonly batch: OpenBatch;
  readonly facts: BatchFacts;
  /** The run ends: nothing more is to start. */
  readonly ends: boolean;
  /** Changes of its calls are proposed instead of made. */
  readonly proposes: boolean;
  /** Why calls may no longer start, by call. */
  readonly refused: Awaited<ReturnType<typeof refusedSince>>;
  /** For a batch of proposed changes: the plan for one of them. */
  readonly changeOf: ((call: ToolCall, at: number) => PlannedCall) | undefined;
}

/** The plan for one call of an open batch. Pure. */
export function decidedCall(decided: Decided, call: ToolCall, at: number): PlannedCall {
  const { step, batch, facts } = decided;
  const note = own(batch.notes ?? {}, call.id);
  const answers = own(facts.answers, call.id);
  const said = saidBy(step, batch, call, at);
  const next = { ...nextOf(decided, call, at), ...defined({ note, answers }) };
  return { ...heldBack(decided, next), ...defined({ said }) };
}

/** The call runs, or has its result: by what is known of it, by the decision on its change, or by how its wait has ended. */
function nextOf({ step, batch, facts, ends, proposes, changeOf }: Decided, call: ToolCall, at: number) {
  const { limits } = step.loaded.pinned;
  const known = resultIn(facts, call) ?? (changeOf ? undefined : overLimit(call, at, limits));
  if (known) return settled(call, known);
  if (changeOf) return changeOf(call, at);
  const tool = toolOf(step.tools, call);
  const wait = batch.waits.find(({ callId }) => callId === call.id);
  const result = wait && resultOf(step.loaded, batch, wait, call, tool, ends);
  return result ? settled(call, result) : toRun(call, proposes ? standIn(tool) : tool);
}

/** The result of a call whose wait has ended, by the wait's kind. Undefined if the call is to run now. */
function resultOf(
  loaded: Loaded,
  { slot, refused = {} }: OpenBatch,
  wait: Wait,
  call: ToolCall,
  tool: Tool | undefined,
  ends: boolean,
): ToolResult | undefined {
  // A call that has asked a person runs again; one without an answer has its result by now.
  if (wait.again) return undefined;
  const { key, view } = loaded;
  const { decisions, started } = view.fence;
  const decision = own(decisions, wait.id);
  const refusedBecause = (why: string) => notRun(call, 'refused', why);
  const cancelled = (why: string = texts.cancelled) => notRun(call, 'cancelled', why);
  const unknown = () => notRun(call, 'unknown', texts.unknownOutcome);
  switch (wait.kind) {
    case 'approval': {
      const isBound = wait.id === approvalId(key, slot, call, tool);
      // A decision on other arguments does not apply to the call as it would run.
      if (decision?.approved) return isBound ? undefined : refusedBecause(texts.readOtherwise);
      if (decision) return refusedBecause(texts.denied(decision.note));
      return ends ? cancelled() : refusedBecause(own(refused, call.id)?.result ?? texts.approvalExpired);
    }
    case 'question':
      if (decision?.approved) return answered(call, decision.note ?? 'yes');
      if (decision) return refusedBecause(texts.denied(decision.note));
      if (ends) return cancelled();
      return answerCame(loaded) ? answered(call, texts.answeredByMessage) : refusedBecause(texts.unanswered);
    case 'call':
      if (own(started, wait.id)) return unknown();
      return cancelled(ends ? undefined : texts.callExpired);
    // Such a call has its result by now, whatever has ended its wait. The changes of a plan are decided elsewhere.
    case 'callback':
    case 'page':
    case 'child':
    case 'timer':
    case 'plan':
      return unknown();
    default:
      return wait.kind satisfies never;
  }
}

/**
 * The call with what has been decided on it by now. It is settled if it may no longer start, whatever was decided when its
 * batch was opened.
 */
function heldBack({ step, batch, refused }: Decided, planned: PlannedCall): PlannedCall {
  const { call } = planned;
  const why = planned.kind === 'run' ? refused.get(call.id) : undefined;
  if (planned.kind === 'run' && why) {
    const { result: said, ...leave } = why;
    const mayHaveBegun = step.isRetry || planned.answers !== undefined;
    return { ...settled(call, refusedNow(call, planned.tool, said, mayHaveBegun)), leave };
  }
  const leave = leaveNow(step, batch, call, toolOf(step.tools, call));
  return leave ? { ...planned, leave } : planned;
}

/** Tells the guards what people have decided: a guard that refused a call then knows whether it may run. */
export function tellDecided(
  step: Pick<Step, 'loaded' | 'tools' | 'guards'>,
  batch: OpenBatch,
  call: ToolCall,
  session: Session,
): Session {
  const refused = own(batch.refused ?? {}, call.id);
  if (!refused) return session;
  const { loaded, guards } = step;
  const tool = toolOf(step.tools, call);
  const decision: Decision | undefined = own(
    loaded.view.fence.decisions,
    approvalId(loaded.key, batch.slot, call, tool),
  );
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
