import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { blockWriter } from './blocks.ts';
import { refusal, stopOf } from './finish.ts';
import { signatureBlock } from './kept.ts';
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
  const blocks = blockWriter();
  let begun = false;
  let hasCalls = false;
  let stopped = false;
  /** The end of a reply that has said nothing yet: more may come. */
  let early: Json[] = [];

  const takeText = (text: string, part: Json) => {
    const kind = part.thought === true ? 'thinking' : 'text';
    const signature = stringAt(part, 'thoughtSignature');
    if (signature === undefined) {
      if (text !== '') blocks.grow(kind, text);
    } else if (kind === 'thinking') blocks.whole(signatureBlock(signature), { kind, text });
    else if (text.trim() === '') blocks.whole(signatureBlock(signature, 'blank'), { kind: 'thinking', text });
    else {
      blocks.whole(signatureBlock(signature, 'text'));
      blocks.whole({ type: 'text', text: '' }, { kind, text });
    }
  };

  const takeCall = (call: Json, part: Json) => {
    hasCalls = true;
    const signature = stringAt(part, 'thoughtSignature');
    if (signature !== undefined) blocks.whole(signatureBlock(signature, 'call'));
    const { name, args = {} } = call;
    const id = stringAt(call, 'id');
    const block = { type: 'tool_use', id, name, input: args, ...(id !== undefined && { _given: { id } }) };
    // Arguments in pieces (`streamFunctionCallArguments`) are not read: such a call counts as cut.
    if (call.willContinue === true || Array.isArray(call.partialArgs)) blocks.cut(block);
    else blocks.whole(block);
  };

  const takePart = (part: Json) => {
    if (isObject(part.functionCall)) takeCall(part.functionCall, part);
    else if (typeof part.text === 'string') takeText(part.text, part);
  };

  const ends = (chunk: Json, candidate: Json): Json[] => {
    const reason = stringAt(candidate, 'finishReason');
    const blocked = stringAt(objectAt(chunk, 'promptFeedback'), 'blockReason');
    if (reason === undefined && blocked === undefined) return [];
    blocks.close();
    const delta = reason === undefined ? refusal(blocked ?? '') : stopOf(reason, candidate, hasCalls);
    const end = [...blocks.taken(), { type: 'message_delta', delta }, { type: 'message_stop' }];
    // Some gateways put a STOP before the reply (Chevey339/kelivo#1003).
    if (reason === 'STOP' && !blocks.begun()) {
      early = end;
      return [];
    }
    stopped = true;
    return end;
  };

  return {
    take(chunk) {
      if (stopped) return [];
      const candidate = candidateIn(chunk);
      const { parts } = objectAt(candidate, 'content');
      const start = begun ? [] : [{ type: 'message_start', message: { model: chunk.modelVersion } }];
      begun = true;
      for (const part of Array.isArray(parts) ? parts : []) if (isObject(part)) takePart(part);
      const usage = isObject(chunk.usageMetadata)
        ? [{ type: 'message_delta', delta: {}, usage: usageOf(chunk.usageMetadata) }]
        : [];
      return [...start, ...blocks.taken(), ...usage, ...ends(chunk, candidate)];
    },
    isStopped: () => stopped,
    end: () => (stopped || blocks.begun() ? [] : early),
  };
}

/** The first candidate: an agent that asks for several (`candidateCount`) gets one. */
const candidateIn = ({ candidates }: Json): Json =>
  (Array.isArray(candidates) ? candidates : []).filter(isObject).find(({ index = 0 }) => index === 0) ?? {};
