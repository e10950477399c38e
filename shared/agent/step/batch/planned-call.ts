import { rulesOfEffect } from '../../config/effects.ts';
import { defined } from '../../plain/defined.ts';
import type { Leave, PersonDecision } from '../../session/leave.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import type { Halt, ResultNote, Spoken } from '../../session/verdict.ts';
import { texts } from '../../texts.ts';
import type { Ask } from '../../tools/asking.ts';
import { notRun } from '../../tools/execute.ts';
import type { Tool } from '../../tools/tool.ts';

/** The plan for each call of a batch, made before any of them goes on. */
export interface BatchPlan {
  readonly session: Session;
  readonly spoken: readonly Spoken[];
  /** In call order. */
  readonly calls: readonly PlannedCall[];
  /** Set when a guard halts: then no call of the batch runs, and every call has a result that says so. */
  readonly halt?: Spoken & Halt;
}

/** The plan for one call: it runs, here or in the queue, perhaps after a person's decision; or it has its result. */
export type PlannedCall =
  | (Planned & {
      readonly kind: 'run';
      readonly tool: Tool | undefined;
      /** The start must be on record before the call starts. For a queued call its own worker does that. */
      readonly unsafe: boolean;
      readonly queued: boolean;
      /** Set when a person must decide first. */
      readonly ask?: Ask;
    })
  | (Planned & { readonly kind: 'settled'; readonly result: ToolResult });

interface Planned {
  readonly call: ToolCall;
  /** Answers of people to its questions. */
  readonly answers?: readonly string[];
  /** The decision on the call, if there is one. */
  readonly leave?: Leave;
  /** The person who denied it, or answered its question. */
  readonly said?: PersonDecision;
  /** A guard's note on its result. */
  readonly note?: ResultNote;
}

export type RunCall = Extract<PlannedCall, { kind: 'run' }>;

/** A call that nothing stops, except the person whom `ask` names. */
export function toRun(call: ToolCall, tool: Tool | undefined, ask?: Ask): RunCall {
  const queued = tool?.where === 'queue';
  return { kind: 'run', call, tool, queued, unsafe: !queued && isFenced(tool), ...defined({ ask }) };
}

export const settled = (call: ToolCall, result: ToolResult): PlannedCall => ({
  kind: 'settled',
  call,
  result,
});

/** Whether the start of a call is recorded before the call starts. */
const isFenced = (tool: Tool | undefined): boolean =>
  tool !== undefined && rulesOfEffect(tool.effect).fence === 'record';

/** The result of a call whose position in the reply is above the pinned limit of the session. */
export const overLimit = (
  call: ToolCall,
  at: number,
  { maxCallsPerReply }: { readonly maxCallsPerReply: number },
): ToolResult | undefined =>
  at >= maxCallsPerReply ? notRun(call, 'refused', texts.tooManyCalls(maxCallsPerReply)) : undefined;

/**
 * The result of a call that is not to start any more. An unfenced call may have begun while the reply was being written. A
 * fenced call without a recorded start has not begun. A call that changes only files changes them with a commit.
 */
export const notStarted = ({ call, tool }: RunCall): ToolResult =>
  tool && rulesOfEffect(tool.effect).changes && !tool.drafts && !isFenced(tool)
    ? notRun(call, 'unknown', texts.unknownOutcome)
    : notRun(call, 'cancelled', texts.cancelled);

export const isQueued = (planned: PlannedCall): boolean => planned.kind === 'run' && planned.queued;

/** Whether a person must decide on a call of the batch. */
export const asksPeople = ({ calls }: BatchPlan): boolean =>
  calls.some((planned) => planned.kind === 'run' && planned.ask);
