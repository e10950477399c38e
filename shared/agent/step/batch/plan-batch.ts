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

/** Plan for each call of a batch, made before any of them runs. */
export interface BatchPlan {
  readonly session: Session;
  readonly spoken: readonly Spoken[];
  /** In call order. */
  readonly calls: readonly PlannedCall[];
  /** Set when a guard halts: then no call of the batch runs, and every call has a result that says so. */
  readonly halt?: Spoken & { kind: 'halt' };
}

export type PlannedCall =
  | {
      readonly kind: 'run';
      readonly call: ToolCall;
      readonly tool: Tool | undefined;
      /** The start must be on record before the call starts. For a queued call its own worker does that. */
      readonly unsafe: boolean;
      readonly queued: boolean;
      /** Answers of people to its questions. */
      readonly answers?: readonly string[];
      /** Set when a person must decide first. */
      readonly ask?: Ask;
      /** The decision on the call, if there is one. */
      readonly leave?: Leave;
      /** The person who denied it, or answered its question. */
      readonly said?: Said;
      readonly note?: ResultNote;
    }
  | {
      readonly kind: 'settled';
      readonly call: ToolCall;
      readonly result: ToolResult;
      readonly leave?: Leave;
      /** The person who denied it, or answered its question. */
      readonly said?: Said;
      /** Clients have been told the result. */
      readonly told?: boolean;
      /** Answers of people to its questions, while it has more of them. */
      readonly answers?: readonly string[];
      /** A guard's note on its result. */
      readonly note?: ResultNote;
    };

/** The recorded facts about calls that earlier, dead owners started: the starts of fenced calls, and every stored result. */
export interface EarlierCalls {
  readonly started: readonly string[];
  readonly results: readonly ToolResult[];
  /** The decisions on calls that are known to have begun: these stand. */
  readonly leaves?: Leaves;
  /** Whether other calls may have begun too: the starts of unfenced calls are not recorded. */
  readonly mayHaveBegun?: boolean;
}

/** Whether people can be asked about calls, and how many calls there may be. */
interface Asked {
  readonly limits: { readonly maxCallsPerReply: number };
  readonly leaveOf: LeaveOf;
  /** A client listens to the session: a person may be asked about what guards refuse. */
  readonly attended?: boolean;
  /** No person can decide: a call that needs a person is denied at once. */
  readonly deserted?: boolean;
  /** Replaces a tool when changes are proposed instead of made. */
  readonly standIn?: (tool: Tool | undefined) => Tool | undefined;
}

/**
 * Plans a batch. Pure. An unsafe call that was started before is never run again: its stored result is used, or an error result
 * says that the outcome is unknown (docs/design.md, step 5).
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
        // Nothing in it runs, so no use of a grant is consumed.
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

/** The result of a call whose position in the reply is above the pinned limit of the session. */
export const overLimit = (
  call: ToolCall,
  at: number,
  { maxCallsPerReply }: Asked['limits'],
): ToolResult | undefined =>
  at >= maxCallsPerReply ? notRun(call, 'refused', texts.tooManyCalls(maxCallsPerReply)) : undefined;

/** The question to a person about a call that guards have refused. Undefined unless every one of these guards lets people decide. */
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

/** A call that nothing stops, except the person whom `ask` names. */
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

/** Whether the start of a call is recorded before the call starts. */
const isFenced = (tool: Tool | undefined): boolean =>
  tool !== undefined && rulesOfEffect(tool.effect).fence === 'record';

const refusedBy = (call: ToolCall, { result, message }: Halt | BlockCall): ToolResult =>
  notRun(call, 'refused', result ?? `Error [refused]: ${message}`);

/** The model reads the first note of a stage. */
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
 * The plan changed so that nothing more starts.
 *
 * @param kept results that earlier owners have stored for its calls
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
 * An unfenced call may have begun while the reply was being written. A fenced call without an intent has not begun. A call that
 * changes only files changes them with a commit.
 */
const notStarted = ({ call, tool }: Extract<PlannedCall, { kind: 'run' }>): ToolResult =>
  tool && rulesOfEffect(tool.effect).changes && !tool.drafts && !isFenced(tool)
    ? notRun(call, 'unknown', texts.unknownOutcome)
    : notRun(call, 'cancelled', texts.cancelled);

/**
 * A stored result stands: a second run may give a different result, while later calls already relied on the first. An intent
 * counts whatever effect the tool declares today, because a deploy may have changed it.
 */
function fromBefore(call: ToolCall, { started, results }: EarlierCalls): ToolResult | undefined {
  const kept = results.find((result) => result.callId === call.id);
  return kept ?? (started.includes(call.id) ? notRun(call, 'unknown', texts.unknownOutcome) : undefined);
}
