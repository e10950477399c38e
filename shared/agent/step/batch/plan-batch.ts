import { rulesOfEffect } from '../../config/effects.ts';
import type { AnyGuard } from '../../guardrails/guard.ts';
import { judge } from '../../guardrails/judge.ts';
import { own } from '../../plain/merge.ts';
import { used } from '../../policy/grants.ts';
import type { Leave, Leaves, Said } from '../../session/leave.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import type { BlockCall, Halt, ResultNote, Spoken } from '../../session/verdict.ts';
import { texts } from '../../texts.ts';
import { type Ask, approvalOf, askToLet, type LeaveOf, questionOf, roomFor } from '../../tools/asking.ts';
import { notRun } from '../../tools/execute.ts';
import type { ReadCache } from '../../tools/read-cache.ts';
import type { Tool } from '../../tools/tool.ts';
import { deniedBy, withGrants } from './denied.ts';

/** What to do with each call of a batch, decided before anything of it runs. */
export interface BatchPlan {
  readonly session: Session;
  readonly spoken: readonly Spoken[];
  /** In call order. */
  readonly calls: readonly PlannedCall[];
  /** Set when a guard halts: then nothing of the batch runs, and every call has a result that says so (rule 6, L4). */
  readonly halt?: Spoken & { kind: 'halt' };
}

export type PlannedCall =
  | {
      readonly kind: 'run';
      readonly call: ToolCall;
      readonly tool: Tool | undefined;
      /** Its start must be on record before it starts. A queued call's own worker sees to that. */
      readonly unsafe: boolean;
      readonly queued: boolean;
      /** What people have answered to its questions. */
      readonly answers?: readonly string[];
      /** Set when a person comes first. */
      readonly ask?: Ask;
      /** What was decided on it, if anybody says anything of it. */
      readonly leave?: Leave;
      /** Who has denied it, or answered its question. */
      readonly said?: Said;
      readonly note?: ResultNote;
    }
  | {
      readonly kind: 'settled';
      readonly call: ToolCall;
      readonly result: ToolResult;
      readonly leave?: Leave;
      /** Who has denied it, or answered its question. */
      readonly said?: Said;
      /** People have been told of it. */
      readonly told?: boolean;
      /** What people have answered to its questions, while it has more of them. */
      readonly answers?: readonly string[];
      /** What a guard has to say on its result. */
      readonly note?: ResultNote;
    };

/** What is known of calls that earlier, dead owners started: the unsafe ones on record, and whatever was kept of any. */
export interface EarlierCalls {
  readonly started: readonly string[];
  readonly results: readonly ToolResult[];
  /** What was decided on those calls of which it is known that they have begun: that stands. */
  readonly leaves?: Leaves;
  /** Whether others of them may have begun too: of what may be run again nothing is known. */
  readonly mayHaveBegun?: boolean;
}

/** Who may be asked about calls, and how many there may be. */
interface Asked {
  readonly limits: { readonly maxCallsPerReply: number };
  readonly leaveOf: LeaveOf;
  /** Somebody listens to the session: a person may be asked about what guards refuse. */
  readonly attended?: boolean;
  /** Nobody is there who could decide: what needs a person is denied at once (T22). */
  readonly deserted?: boolean;
  /** What runs in place of a tool where changes are proposed and not made. */
  readonly standIn?: (tool: Tool | undefined) => Tool | undefined;
}

/**
 * Plans a batch. Pure. An unsafe call that was started before is never run again: its kept result is used, or
 * an error result says that the outcome is unknown (docs/design.md, step 5).
 */
export function planBatch(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  guards: readonly AnyGuard[],
  session: Session,
  earlier: EarlierCalls,
  { limits, leaveOf, attended = false, deserted = false, standIn = (tool) => tool }: Asked,
  cached: ReadCache = () => undefined,
): BatchPlan {
  let state = session;
  const spoken: Spoken[] = [];
  const planned: PlannedCall[] = [];
  // A call of the same batch may change what an earlier one has read.
  const room = roomFor(calls.length);
  const onlyReads = calls.every(({ name }) => {
    const tool = tools.find((candidate) => candidate.name === name);
    return tool !== undefined && !rulesOfEffect(tool.effect).changes;
  });
  const fromCache = onlyReads ? cached : () => undefined;

  for (const [i, call] of calls.entries()) {
    const tool = tools.find((candidate) => candidate.name === call.name);
    const judged = judge(guards, 'call', state, { call, effect: tool?.effect ?? 'unknown', tool });
    state = judged.session;
    spoken.push(...judged.spoken);
    if (judged.verdict?.kind === 'halt') {
      return {
        // Nothing of it runs: no use of a grant is taken.
        session: withGrants(state, session.grants ?? []),
        spoken,
        calls: haltedBatch(calls, i, judged.verdict, earlier),
        halt: judged.verdict,
      };
    }

    const letRun = deserted ? undefined : letRunBy(call, tool, judged.spoken, attended, room);
    const note = noteOf(judged.spoken);
    const refused =
      overLimit(call, i, limits) ??
      (judged.verdict?.kind === 'block' && !letRun ? refusedBy(call, judged.verdict) : undefined);
    if (refused) {
      planned.push({ kind: 'settled', call, result: refused, ...note });
      continue;
    }
    const grants = state.grants ?? [];
    const leave = own(earlier.leaves ?? {}, call.id) ?? leaveOf(call, tool, grants);
    if (leave?.grant !== undefined) state = withGrants(state, used(grants, leave.grant));
    const settled =
      fromBefore(call, earlier) ??
      (leave && deniedBy(leave, call, tool, deserted, earlier.mayHaveBegun ?? false)) ??
      (leave?.decision === 'ask' ? undefined : fromCache(call));
    const asked =
      questionOf(call, tool, room) ??
      (leave?.decision === 'ask' ? approvalOf(call, tool, leave, room) : undefined);
    planned.push({
      ...(settled
        ? { kind: 'settled' as const, call, result: settled }
        : toRun(call, standIn(tool), letRun ?? asked)),
      ...(leave && { leave }),
      ...note,
    });
  }
  return { session: state, spoken, calls: planned };
}

/** The result of a call, by its place in the reply, of which a session takes no more than it was pinned to. */
export const overLimit = (
  call: ToolCall,
  at: number,
  { maxCallsPerReply }: Asked['limits'],
): ToolResult | undefined =>
  at >= maxCallsPerReply ? notRun(call, 'refused', texts.tooManyCalls(maxCallsPerReply)) : undefined;

/** What a person is asked about a call that guards have refused, if every one of them lets people decide (L15). */
function letRunBy(
  call: ToolCall,
  tool: Tool | undefined,
  spoken: readonly Spoken[],
  attended: boolean,
  room: number,
): Ask | undefined {
  const blocks = spoken.filter((one) => one.kind === 'block');
  const [first] = blocks;
  const asks = ({ ask = 'never' }: BlockCall) => ask === 'always' || (ask === 'attended' && attended);
  if (!first || !blocks.every(asks)) return undefined;
  const refused = { guards: blocks.map(({ guard }) => guard), result: refusedBy(call, first).content };
  return askToLet(call, tool, blocks.map(({ message }) => message).join(' '), refused, room);
}

/** A call that nobody stands in the way of, or only the person that `ask` names. */
export function toRun(
  call: ToolCall,
  tool: Tool | undefined,
  ask?: Ask,
): Extract<PlannedCall, { kind: 'run' }> {
  const queued = tool?.where === 'queue';
  return {
    kind: 'run',
    call,
    tool,
    queued,
    unsafe: !queued && isFenced(tool),
    ...(ask && { ask }),
  };
}

/** Whether a call's start is put on record before it starts. */
const isFenced = (tool: Tool | undefined): boolean =>
  tool !== undefined && rulesOfEffect(tool.effect).fence === 'record';

const refusedBy = (call: ToolCall, { result, message }: Halt | BlockCall): ToolResult =>
  notRun(call, 'refused', result ?? `Error [refused]: ${message}`);

/** The first note of a stage is the one that the model reads. */
export const noteOf = (spoken: readonly Spoken[]): Pick<ToolResult, 'note'> => {
  const note = spoken.flatMap((verdict) =>
    verdict.kind === 'warn' && verdict.note ? [verdict.note] : [],
  )[0];
  return note ? { note } : {};
};

/** The results of a batch that a guard halts at its call number `at`. */
const haltedBatch = (
  calls: readonly ToolCall[],
  at: number,
  halt: Halt,
  earlier: EarlierCalls,
): PlannedCall[] =>
  calls.map((call, i) => {
    const stopped = i === at ? refusedBy(call, halt) : notRun(call, 'cancelled', texts.batchHalted);
    return { kind: 'settled', call, result: fromBefore(call, earlier) ?? stopped };
  });

/**
 * The plan with nothing more to start.
 *
 * @param kept what earlier owners have kept of its calls
 */
export const withoutStarting = (plan: BatchPlan, kept: readonly ToolResult[]): BatchPlan => ({
  ...plan,
  calls: plan.calls.map((planned) => {
    if (planned.kind === 'settled') return planned;
    const { call, leave, said } = planned;
    const result = kept.find(({ callId }) => callId === call.id) ?? notStarted(planned);
    return { kind: 'settled', call, result, ...(leave && { leave }), ...(said && { said }) };
  }),
});

/**
 * A call that needs no fence may have begun beside the write of the reply; one that does has no intent, so it has not. What changes
 * nothing but files changes them with a commit.
 */
const notStarted = ({ call, tool }: Extract<PlannedCall, { kind: 'run' }>): ToolResult =>
  tool && rulesOfEffect(tool.effect).changes && !tool.drafts && !isFenced(tool)
    ? notRun(call, 'unknown', texts.unknownOutcome)
    : notRun(call, 'cancelled', texts.cancelled);

/**
 * A result that was kept stands: run again, a call may come to another one, which those after it would go by. An intent counts
 * whatever the tool is declared as today: a deploy may have changed its effect.
 */
function fromBefore(call: ToolCall, { started, results }: EarlierCalls): ToolResult | undefined {
  const kept = results.find((result) => result.callId === call.id);
  return kept ?? (started.includes(call.id) ? notRun(call, 'unknown', texts.unknownOutcome) : undefined);
}
