import type { Effect } from '../config/effects.ts';
import type { Grant, Leave } from '../session/leave.ts';
import type { ToolCall } from '../session/slots.ts';
import type { RefusedCall } from '../session/waits.ts';
import { type Reading, readInput } from './reading.ts';
import { showInput } from './show-input.ts';
import type { Tool } from './tool.ts';
import { visible } from './visible.ts';

type Known = Exclude<Reading, { kind: 'wrong' }>;

/** The question that a person is asked about a call. */
export interface Ask {
  readonly kind: 'approval' | 'question';
  readonly message: string;
  /** Whether the message leaves out part of what the call will be run with. */
  readonly cut: boolean;
  /** Set if guards have refused the call, and a person may allow it. */
  readonly refused?: RefusedCall;
}

/**
 * Bytes of UTF-8 of everything that one reply asks of people, and of one request. They are stored in HEAD, which may have 350 KB,
 * and sent in one frame of a WebSocket, which may have 128 KB.
 */
const MAX_ASKED = 60_000;
const MAX_SHOWN = 16_000;
const MIN_SHOWN = 300;

/** Room for each of this many requests. */
export const roomFor = (requests: number): number =>
  Math.max(MIN_SHOWN, Math.min(MAX_SHOWN, Math.floor(MAX_ASKED / Math.max(1, requests))));

/** Whether a call may run; undefined if nothing has a say in it. */
export type LeaveOf = (call: ToolCall, tool: Tool | undefined, grants: readonly Grant[]) => Leave | undefined;

/** As {@link LeaveOf}, for an agent without a policy whose people have granted nothing. */
export const leaveWithoutPolicy =
  (effects: readonly Effect[]): LeaveOf =>
  (call, tool) => {
    const rule = tool && asksItself(call, tool, effects);
    return rule && { decision: 'ask', rule };
  };

/**
 * Whether a person is asked about a call whatever policies say: because of its tool, or its effect. Wrong arguments need no
 * person: the call fails by itself. Pure.
 */
export function asksItself(
  call: ToolCall,
  tool: Tool,
  effects: readonly Effect[],
): 'tool' | 'effect' | undefined {
  const rule = tool.approval ?? (effects.includes(tool.effect) ? 'effect' : 'never');
  // The common case: the arguments are not read here, only when the call runs.
  if (tool.where === 'person' || rule === 'never') return undefined;
  const reading = readInput(call, tool);
  if (reading.kind === 'wrong') return undefined;
  if (rule === 'effect') return rule;
  return typeof rule === 'function' && !asksFor(rule, reading) ? undefined : 'tool';
}

/** The question to the person whose answer is a call's result. Wrong arguments need no person. */
export function questionOf(call: ToolCall, tool: Tool | undefined, room = MAX_SHOWN): Ask | undefined {
  if (tool?.where !== 'person') return undefined;
  const reading = readInput(call, tool);
  return reading.kind === 'wrong' ? undefined : { kind: 'question', ...questionIn(reading, call, room) };
}

/** The question to a person who may approve a call. Only a policy's rule is named: a tool or an effect needs no name. */
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
 * The question to a person who may allow a refused call: what is wrong with it, and the call. Undefined if it cannot run anyway,
 * or if a person is to answer it.
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

/** A rule that cannot decide, or has no input to decide by, asks. */
function asksFor(approval: (input: unknown) => boolean, reading: Known): boolean {
  const read = reading.kind === 'read' ? reading : reading.once;
  try {
    return read === undefined || approval(read.value);
  } catch {
    return true;
  }
}

/**
 * A call as a person reads it: the tool, and what it will be run with, one value a line.
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

/** A question with the answers to choose from; for a tool without a question, its input. */
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
