import { rulesOfEffect } from '../../config/effects.ts';
import type { AnyGuard } from '../../guardrails/guard.ts';
import { judge } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import { own } from '../../plain/merge.ts';
import { used } from '../../policy/grants.ts';
import { toolOf } from '../../session/facts.ts';
import type { Leaves } from '../../session/leave.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import type { BlockCall, Halt, Spoken } from '../../session/verdict.ts';
import { texts } from '../../texts.ts';
import { type Ask, approvalOf, askToLet, type LeaveOf, questionOf, roomFor } from '../../tools/asking.ts';
import { notRun } from '../../tools/execute.ts';
import type { ReadCache } from '../../tools/read-cache.ts';
import type { Tool } from '../../tools/tool.ts';
import { deniedBy, withGrants } from './denied.ts';
import { type Known, resultIn } from './known.ts';
import { type BatchPlan, overLimit, type PlannedCall, settled, toRun } from './planned-call.ts';

/** Facts that earlier owners have left of the batch. */
export interface EarlierCalls extends Known {
  /** The decisions on calls that are known to have begun: these stand. */
  readonly leaves?: Leaves;
  /** Whether other calls may have begun too: the starts of unfenced calls are not recorded. */
  readonly mayHaveBegun?: boolean;
}

/** Whether people can be asked about calls, and how many calls there may be. */
interface AskRules {
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
 * Plans the batch of a new reply: guards judge each call, then policies decide. Pure. An unsafe call that was started before is
 * never run again: its stored result is used, or an error result says that the outcome is unknown (docs/design.md, step 5).
 */
export function planBatch(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  guards: readonly AnyGuard[],
  session: Session,
  earlier: EarlierCalls,
  { limits, leaveOf, attended = false, deserted = false, standIn = (tool) => tool }: AskRules,
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
    const tool = toolOf(tools, call);
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
    const before = resultIn(earlier, call);
    const refused =
      overLimit(call, i, limits) ??
      (judged.verdict?.kind === 'block' && !letRun ? refusedBy(call, judged.verdict) : undefined);
    if (refused && !before) {
      planned.push({ ...settled(call, refused), ...note });
      continue;
    }
    const grants = state.grants ?? [];
    const leave = own(earlier.leaves ?? {}, call.id) ?? leaveOf(call, tool, grants);
    if (leave?.grant !== undefined) state = withGrants(state, used(grants, leave.grant));
    const result =
      before ??
      (leave && deniedBy(leave, call, tool, deserted, earlier.mayHaveBegun ?? false)) ??
      (leave?.decision === 'ask' ? undefined : fromCache(call));
    const asked =
      questionOf(call, tool, room) ??
      (leave?.decision === 'ask' ? approvalOf(call, tool, leave, room) : undefined);
    planned.push({
      ...(result ? settled(call, result) : toRun(call, standIn(tool), letRun ?? asked)),
      ...defined({ leave }),
      ...note,
    });
  }
  return { session: state, spoken, calls: planned };
}

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
    return settled(call, resultIn(earlier, call) ?? stopped);
  });
