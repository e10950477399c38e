import { isTooDeep } from '../../agent/plain/depth.ts';
import { unusableInput } from '../../agent/session/reply.ts';
import type { Block, ToolCall } from '../../agent/session/slots.ts';
import { callName } from '../common/ids.ts';
import { isObject, type Json, parse, stringAt } from '../common/json.ts';
import type { Part } from './content.ts';
import { jsonEnd } from './json-end.ts';

/** A call as the model has written it. */
export interface WrittenCall {
  readonly name: string;
  /** The input that the tool gets: text that is not JSON, or nested too deep, stays text, and the tool's schema refuses it. */
  readonly called: unknown;
  /** The input that is sent back, which must be an object. */
  readonly sent: Json;
}

/** Reads the arguments of a native call. `cut` is JSON that ends before it is complete: a truncated call. */
export function readArguments(
  text: string,
): { kind: 'whole'; called: unknown; sent: Json } | { kind: 'cut' } {
  if (text.trim() === '') return { kind: 'whole', called: {}, sent: {} };
  const input = parse(text);
  if (input === undefined && isCut(text)) return { kind: 'cut' };
  const called = input === undefined || isTooDeep(input) ? text : input;
  return { kind: 'whole', called, sent: isObject(called) ? called : unusableInput(text) };
}

/** Whether text that is not JSON has strings, arrays or objects that were never closed. */
function isCut(text: string): boolean {
  const end = jsonEnd();
  end.take(text);
  return end.isOpen();
}

/** Reads the body of a `<tool_call>` block: `{"name": …, "arguments": {…}}`. */
export function readBlock(body: string): WrittenCall | { readonly why: string } {
  const call = parse(body);
  if (!isObject(call)) return { why: 'it is not a JSON object' };
  const name = stringAt(call, 'name');
  if (name === undefined) return { why: 'it has no "name"' };
  // Some models write the arguments as a string of JSON, like the native form.
  const given = call.arguments ?? {};
  const input = typeof given === 'string' ? parse(given) : given;
  if (!isObject(input)) return { why: '"arguments" is not an object' };
  if (isTooDeep(input)) return { why: '"arguments" is nested too deep' };
  return { name: callName(name), called: input, sent: input };
}

/** The parts of a reply: prose is kept, complete calls become calls, and unreadable calls are reported. */
export interface ReadContent {
  readonly content: readonly Block[];
  readonly calls: readonly ToolCall[];
  /** The first unreadable call, and why; undefined if there is none. */
  readonly malformed: string | undefined;
  /** A call was dropped because the reply was cut in it. */
  readonly cutCalls: boolean;
}

/**
 * @param cut whether the model was stopped before it was done: then a call that is not closed is dropped
 * @param newId makes the id of a call; the text form has none
 */
export function readParts(parts: readonly Part[], cut: boolean, newId: () => string): ReadContent {
  const content: Block[] = [];
  const calls: ToolCall[] = [];
  let malformed: string | undefined;
  let cutCalls = false;
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
        content.push({ type: 'text', text: part.text });
        break;
      case 'thinking':
        content.push({ type: 'thinking', thinking: part.text });
        break;
      case 'open_call':
      case 'call': {
        if (part.kind === 'open_call' && cut) {
          cutCalls = true;
          break;
        }
        const call = readBlock(part.body);
        if ('why' in call) {
          malformed ??= `<tool_call>${part.body.trim().slice(0, SHOWN)} (${call.why})`;
          break;
        }
        const id = newId();
        content.push({ type: 'tool_use', id, name: call.name, input: call.sent });
        calls.push({ id, name: call.name, input: call.called });
        break;
      }
      default:
        part satisfies never;
    }
  }
  return { content, calls, malformed, cutCalls };
}

/** Characters of a malformed call that are kept, to show the model which one it was. */
const SHOWN = 200;
