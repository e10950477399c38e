import type { Approvals } from '../config/approvals.ts';
import { rulesOfEffect } from '../config/effects.ts';
import type { AnyGuard } from '../guardrails/guard.ts';
import { judge } from '../guardrails/judge.ts';
import type { Session } from '../session/session.ts';
import type { ToolCall, ToolResult } from '../session/slots.ts';
import type { BlockCall, Halt, ResultNote, Spoken } from '../session/verdict.ts';
import { texts } from '../texts.ts';
import { type Ask, askFor, askToLet, roomFor } from '../tools/asking.ts';
import { notRun } from '../tools/execute.ts';
import type { ReadCache } from '../tools/read-cache.ts';
import type { Tool } from '../tools/tool.ts';

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
      readonly note?: ResultNote;
    }
  | {
      readonly kind: 'settled';
      readonly call: ToolCall;
      readonly result: ToolResult;
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
}

/** Who may be asked about calls, and how many there may be. */
interface Asked {
  readonly limits: { readonly maxCallsPerReply: number };
  readonly approvals: Pick<Approvals, 'effects'>;
  /** Somebody listens to the session: a person may be asked about what guards refuse. */
  readonly attended?: boolean;
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
  { limits, approvals, attended = false }: Asked,
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
        session: state,
        spoken,
        calls: haltedBatch(calls, i, judged.verdict, earlier),
        halt: judged.verdict,
      };
    }

    const letRun = letRunBy(call, tool, judged.spoken, attended, room);
    const settled =
      overLimit(call, i, limits) ??
      (judged.verdict?.kind === 'block' && !letRun
        ? refusedBy(call, judged.verdict)
        : (fromBefore(call, earlier) ?? fromCache(call)));
    planned.push(
      settled
        ? { kind: 'settled', call, result: settled, ...noteOf(judged.spoken) }
        : { ...toRun(call, tool, letRun ?? askFor(call, tool, approvals, room)), ...noteOf(judged.spoken) },
    );
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
    const { call } = planned;
    const result = kept.find(({ callId }) => callId === call.id) ?? notStarted(planned);
    return { kind: 'settled', call, result };
  }),
});

/** A call that needs no fence may have begun beside the write of the reply; one that does has no intent, so it has not. */
const notStarted = ({ call, tool }: Extract<PlannedCall, { kind: 'run' }>): ToolResult =>
  tool && rulesOfEffect(tool.effect).changes && !isFenced(tool)
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
