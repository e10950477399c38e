import type { Effect } from '../config/effects.ts';
import type { Grant, Leave } from '../session/leave.ts';
import type { ToolCall } from '../session/slots.ts';
import type { RefusedCall } from '../session/waits.ts';
import { type Reading, readInput } from './reading.ts';
import { showInput } from './show-input.ts';
import type { Tool } from './tool.ts';
import { visible } from './visible.ts';

type Known = Exclude<Reading, { kind: 'wrong' }>;

/** What a person is asked about a call, if anything. */
export interface Ask {
  readonly kind: 'approval' | 'question';
  readonly message: string;
  /** The message does not show all that the call will be run with. */
  readonly cut: boolean;
  /** Set when guards have refused the call, and a person may let it run. */
  readonly refused?: RefusedCall;
}

/**
 * Bytes of UTF-8 of all that one reply asks of people, and of one request. They stand in HEAD, which may have 350 KB, and
 * in one frame of a WebSocket, which may have 128 KB.
 */
const MAX_ASKED = 60_000;
const MAX_SHOWN = 16_000;
const MIN_SHOWN = 300;

/** Room for each of so many requests. */
export const roomFor = (requests: number): number =>
  Math.max(MIN_SHOWN, Math.min(MAX_SHOWN, Math.floor(MAX_ASKED / Math.max(1, requests))));

/** Whether a call may run: undefined when nobody says anything about it. */
export type LeaveOf = (call: ToolCall, tool: Tool | undefined, grants: readonly Grant[]) => Leave | undefined;

/** As {@link LeaveOf}, of an agent that has no policy and whose people have granted nothing. */
export const leaveWithoutPolicy =
  (effects: readonly Effect[]): LeaveOf =>
  (call, tool) => {
    const rule = tool && asksItself(call, tool, effects);
    return rule && { decision: 'ask', rule };
  };

/**
 * What has a person asked about a call, whatever policies say: its tool, or its effect. Arguments that are wrong need nobody: the call fails
 * by itself (A13). Pure.
 */
export function asksItself(
  call: ToolCall,
  tool: Tool,
  effects: readonly Effect[],
): 'tool' | 'effect' | undefined {
  const rule = tool.approval ?? (effects.includes(tool.effect) ? 'effect' : 'never');
  // Most calls: they are not read here, only when they run.
  if (tool.where === 'person' || rule === 'never') return undefined;
  const reading = readInput(call, tool);
  if (reading.kind === 'wrong') return undefined;
  if (rule === 'effect') return rule;
  return typeof rule === 'function' && !asksFor(rule, reading) ? undefined : 'tool';
}

/** What the person is asked whose answer is a call's result. Arguments that are wrong need nobody. */
export function questionOf(call: ToolCall, tool: Tool | undefined, room = MAX_SHOWN): Ask | undefined {
  if (tool?.where !== 'person') return undefined;
  const reading = readInput(call, tool);
  return reading.kind === 'wrong' ? undefined : { kind: 'question', ...questionIn(reading, call, room) };
}

/** What a person is asked who may approve a call. The rule of a policy is named: what a tool or an effect asks needs no name. */
export function approvalOf(
  call: ToolCall,
  tool: Tool | undefined,
  { rule }: Pick<Leave, 'rule'>,
  room = MAX_SHOWN,
): Ask | undefined {
  const reading = tool && readInput(call, tool);
  if (!reading || reading.kind === 'wrong') return undefined;
  const said = rule === 'tool' || rule === 'effect' ? [] : [`(asked by ${rule})`];
  return { kind: 'approval', ...describeCall(call.name, reading, room, undefined, said) };
}

/**
 * What a person is asked who may let a refused call run: what is wrong with it, and the call. Undefined when it cannot run
 * anyway, or when a person is to answer it.
 */
export function askToLet(
  call: ToolCall,
  tool: Tool | undefined,
  why: string,
  refused: RefusedCall,
  room = MAX_SHOWN,
): Ask | undefined {
  const reading = tool && readInput(call, tool);
  if (!reading || reading.kind === 'wrong' || tool.where === 'person') return undefined;
  const shown = visible(why, { room: 400 }).text;
  return { kind: 'approval', ...describeCall(call.name, reading, room, undefined, [`(${shown})`]), refused };
}

/** What cannot decide, or has nothing to decide by, asks. */
function asksFor(approval: (input: unknown) => boolean, reading: Known): boolean {
  const read = reading.kind === 'read' ? reading : reading.once;
  try {
    return read === undefined || approval(read.value);
  } catch {
    return true;
  }
}

/**
 * A call as a person reads it: the tool, and what it will be run with, a value a line.
 *
 * @param most bytes of one value that are shown
 * @param said lines of ours, before the values
 */
export function describeCall(
  name: string,
  reading: Known,
  room: number,
  most?: number,
  said: readonly string[] = [],
): Pick<Ask, 'message' | 'cut'> {
  const { lines, whole } = showInput(reading.value, room, most);
  const asSent = reading.kind === 'sent' ? [AS_SENT] : [];
  return { message: [name, ...said, ...asSent, ...lines].join('\n'), cut: !whole };
}

const AS_SENT = '(as the model sent it: what the tool’s schema makes of it is known only when the call runs)';

/** A question, with the answers to choose from; of a tool that has none, its input. */
function questionIn(reading: Known, call: ToolCall, room: number): Pick<Ask, 'message' | 'cut'> {
  const { question, options } = asQuestion(reading.value);
  if (question === undefined) return describeCall(call.name, reading, room);
  const asked = visible(question, { room, lines: true });
  const choices = options.map((option) => visible(option, { room: 400 }));
  return {
    message: [asked.text, ...choices.map(({ text }) => `- ${text}`)].join('\n'),
    cut: [asked, ...choices].some(({ whole }) => !whole),
  };
}

function asQuestion(input: unknown): { question?: string; options: readonly string[] } {
  if (typeof input !== 'object' || input === null || !('question' in input)) return { options: [] };
  const { question, options } = input as { question: unknown; options?: unknown };
  return {
    ...(typeof question === 'string' && { question }),
    options: Array.isArray(options) ? options.filter((option) => typeof option === 'string') : [],
  };
}
