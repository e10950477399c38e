import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { MAX_KEPT_CHARS } from '../openai/kept.ts';
import { refusal, stopOf } from './finish.ts';
import type { Kept } from './kept.ts';
import { usageOf } from './usage.ts';

/** Translates the chunks of one reply into events of the Messages API, from which `anthropic/assemble.ts` builds a reply. */
export interface Translation {
  take(chunk: Json): Json[];
  /** Whether the reply is whole. */
  isStopped(): boolean;
  /** The end of the stream. */
  end(): Json[];
}

export function translation(): Translation {
  /** Kind of the block that the next text may continue. */
  let open: 'text' | 'thinking' | undefined;
  let index = -1;
  let begun = false;
  let hasCalls = false;
  let stopped = false;
  /** The end of a reply that has said nothing yet: more may come. */
  let early: Json[] = [];

  const close = (): Json[] => {
    if (open === undefined) return [];
    open = undefined;
    return [{ type: 'content_block_stop', index }];
  };
  const start = (block: Json): Json => {
    index += 1;
    return { type: 'content_block_start', index, content_block: block };
  };
  const grown = (kind: 'text' | 'thinking', text: string): Json[] =>
    text === ''
      ? []
      : [{ type: 'content_block_delta', index, delta: { type: `${kind}_delta`, [kind]: text } }];

  const textOf = (text: string, { thought, thoughtSignature: signature }: Json): Json[] => {
    const kind = thought === true ? 'thinking' : 'text';
    if (typeof signature === 'string' && signature !== '')
      return [
        ...close(),
        start(signedBlock(kind, text, signature)),
        ...grown(shownAs(kind, text), text),
        stop(),
      ];
    if (text === '') return [];
    if (open === kind) return grown(kind, text);
    const before = close();
    const begins = start({ type: kind, [kind]: '' });
    open = kind;
    return [...before, begins, ...grown(kind, text)];
  };
  const stop = (): Json => ({ type: 'content_block_stop', index });

  const callOf = (call: Json, { thoughtSignature: signature }: Json): Json[] => {
    hasCalls = true;
    const { id, name, args = {} } = call;
    const given = {
      ...(typeof id === 'string' && id !== '' && { id }),
      ...signed('call', signature),
    };
    const block = { type: 'tool_use', id, name, input: args, ...withGiven(given) };
    // Arguments in pieces (`streamFunctionCallArguments`) are not read: such a call counts as cut.
    const isPart = call.willContinue === true || Array.isArray(call.partialArgs);
    return [...close(), start(block), ...(isPart ? [] : [stop()])];
  };

  const partOf = (part: Json): Json[] => {
    if (isObject(part.functionCall)) return callOf(part.functionCall, part);
    return typeof part.text === 'string' ? textOf(part.text, part) : [];
  };

  const ends = (chunk: Json, candidate: Json): Json[] => {
    const reason = stringAt(candidate, 'finishReason');
    const blocked = stringAt(objectAt(chunk, 'promptFeedback'), 'blockReason');
    if (reason === undefined && blocked === undefined) return [];
    const delta = reason === undefined ? refusal(blocked ?? '') : stopOf(reason, candidate, hasCalls);
    const end = [...close(), { type: 'message_delta', delta }, { type: 'message_stop' }];
    // Some gateways put a STOP before the reply (Chevey339/kelivo#1003).
    if (reason === 'STOP' && index < 0) {
      early = end;
      return [];
    }
    stopped = true;
    return end;
  };

  return {
    take(chunk) {
      if (stopped) return [];
      const candidate = Array.isArray(chunk.candidates) ? chunk.candidates.find(isObject) : undefined;
      const { parts } = objectAt(candidate ?? {}, 'content');
      const isFirst = !begun;
      begun = true;
      return [
        ...(isFirst ? [{ type: 'message_start', message: { model: chunk.modelVersion } }] : []),
        ...(Array.isArray(parts) ? parts : []).filter(isObject).flatMap(partOf),
        ...(isObject(chunk.usageMetadata)
          ? [{ type: 'message_delta', delta: {}, usage: usageOf(chunk.usageMetadata) }]
          : []),
        ...ends(chunk, candidate ?? {}),
      ];
    },
    isStopped: () => stopped,
    end: () => (stopped || index >= 0 ? [] : early),
  };
}

/** A blank text with a signature is kept as a thought, because a blank text is not stored. */
const shownAs = (kind: 'text' | 'thinking', text: string): 'text' | 'thinking' =>
  kind === 'text' && text.trim() !== '' ? 'text' : 'thinking';

function signedBlock(kind: 'text' | 'thinking', text: string, signature: string): Json {
  if (shownAs(kind, text) === 'text')
    return { type: 'text', text: '', ...withGiven(signed('message', signature)) };
  const isText: Kept = { isText: true };
  return {
    ...{ type: 'thinking', thinking: '', signature },
    ...(kind === 'text' && withGiven({ message: isText })),
  };
}

const signed = (holder: 'call' | 'message', signature: unknown): Json =>
  typeof signature === 'string' && signature !== '' && signature.length <= MAX_KEPT_CHARS
    ? { [holder]: { thoughtSignature: signature } satisfies Kept }
    : {};

const withGiven = (given: Json): Json => (Object.keys(given).length > 0 ? { _given: given } : {});
