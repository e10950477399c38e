import { isTooDeep, MAX_DEPTH } from '../../agent/plain/depth.ts';
import { own } from '../../agent/plain/merge.ts';
import { unusableInput } from '../../agent/session/reply.ts';
import type { Block, Stop, ToolCall } from '../../agent/session/slots.ts';
import { type CallIds, callName } from '../common/ids.ts';
import { isObject, type Json, parse, stringAt } from '../common/json.ts';

/** A content block while it streams: as it was started, grown by its deltas. */
export interface Draft {
  readonly index: unknown;
  block: Block;
  /** The input of a tool call so far, as text. */
  json: string;
  stopped: boolean;
}

/** Adds a delta to its block, and returns how many characters the model wrote. */
export function grow(draft: Draft, delta: Json): number {
  const { block } = draft;
  switch (delta.type) {
    case 'text_delta':
      return append(draft, 'text', delta.text);
    case 'thinking_delta':
      return append(draft, 'thinking', delta.thinking);
    case 'input_json_delta': {
      const { partial_json: whole } = delta;
      const piece = isObject(whole) ? textOf(whole) : (stringAt(delta, 'partial_json') ?? '');
      draft.json += piece;
      return piece.length;
    }
    case 'signature_delta':
      draft.block = { ...block, signature: delta.signature };
      return 0;
    case 'citations_delta': {
      const before = Array.isArray(block.citations) ? block.citations : [];
      draft.block = { ...block, citations: [...before, delta.citation] };
      return 0;
    }
    default:
      draft.block = merged(block, delta);
      return 0;
  }
}

/**
 * Applies a delta of an unknown kind, such as `compaction_delta`, to its block: text is appended to text and a list to
 * a list, anything else replaces the earlier value. Otherwise the block would go back to the server empty, and the
 * server refuses that.
 */
function merged(block: Block, { type: _, ...fields }: Json): Block {
  const grown = Object.entries(fields).map(([key, piece]) => {
    const before = own(block, key);
    if (typeof before === 'string' && typeof piece === 'string') return [key, before + piece];
    if (Array.isArray(before) && Array.isArray(piece)) return [key, [...before, ...piece]];
    return [key, piece];
  });
  return { ...block, ...Object.fromEntries(grown) };
}

function append(draft: Draft, field: 'text' | 'thinking', piece: unknown): number {
  if (typeof piece !== 'string') return 0;
  draft.block = { ...draft.block, [field]: (stringAt(draft.block, field) ?? '') + piece };
  return piece.length;
}

/** The whole blocks, and the calls among them. Only the text of a cut block is kept. */
export function finishBlocks(
  drafts: readonly Draft[],
  stop: Stop,
  newId: CallIds,
): { readonly content: readonly Block[]; readonly calls: readonly ToolCall[]; readonly cutCalls: boolean } {
  const content: Block[] = [];
  const calls: ToolCall[] = [];
  let cutCalls = false;
  for (const draft of drafts) {
    const { block } = draft;
    // Some servers do not end their blocks, and some cut them: a call with whole input counts as one, if the reply is
    // whole.
    const stopped = draft.stopped || (claimsWhole(stop) && block.type === 'tool_use' && isJson(draft.json));
    if (!stopped) cutCalls ||= block.type === 'tool_use';
    if (!stopped && (block.type !== 'text' || stringAt(block, 'text') === undefined)) continue;
    const input = inputOf(draft);
    // The server also ends the block that it cut: half an input is no call, unless the server claims that the reply is
    // whole.
    if (input.kind === 'invalid' && !claimsWhole(stop)) {
      cutCalls ||= block.type === 'tool_use';
      continue;
    }
    const filled = input.kind === 'none' ? block : { ...block, input: input.sent };
    if (block.type !== 'tool_use') {
      if (!isTooDeep(filled)) content.push(filled);
      continue;
    }
    const id = newId(stringAt(block, 'id'));
    const name = callName(stringAt(block, 'name'));
    // The input fits; the other fields that the server wrote may be too deep.
    content.push({ ...(isTooDeep(filled) ? { type: block.type, input: filled.input } : filled), id, name });
    calls.push({ id, name, input: input.kind === 'none' ? {} : input.called });
  }
  return { content, calls, cutCalls };
}

/** Whether this stop reason says that nothing of the reply is missing. */
const claimsWhole = (stop: Stop): boolean => stop === 'tool_use' || stop === 'end_turn';

/** Input that a server sends as an object. */
const textOf = (input: Json): string =>
  isTooDeep(input) ? `nested deeper than ${MAX_DEPTH} levels` : JSON.stringify(input);

const isJson = (text: string): boolean => parse(text) !== undefined;

/** A call's input: as the tool gets it, and as it is sent back, which must be an object. */
type Input =
  | { readonly kind: 'none' }
  | { readonly kind: 'valid'; readonly called: unknown; readonly sent: Json }
  | { readonly kind: 'invalid'; readonly called: string; readonly sent: Json };

/**
 * Input that is not JSON, or is nested too deep, stays text, so that the tool's schema refuses it and the model reads
 * why. In history it is wrapped, as the API's documentation proposes.
 */
function inputOf({ block, json }: Draft): Input {
  const text = json !== '' ? json : (stringAt(block, 'input') ?? '');
  if (text === '') {
    if (block.type !== 'tool_use') return { kind: 'none' };
    const given = isObject(block.input) ? block.input : {};
    return isTooDeep(given)
      ? invalid(`nested deeper than ${MAX_DEPTH} levels`)
      : { kind: 'valid', called: given, sent: given };
  }
  const input = parse(text);
  if (input === undefined || isTooDeep(input)) return invalid(text);
  return { kind: 'valid', called: input, sent: isObject(input) ? input : unusableInput(text) };
}

const invalid = (text: string): Input => ({ kind: 'invalid', called: text, sent: unusableInput(text) });
