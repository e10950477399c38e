/** Replies as a server sent them, assembled from its stream, for the memory of a strict server. */

import { type Fields, fieldsIn, isFields } from './rule.ts';

/** A reply of the Messages API. */
export interface SentReply {
  readonly content: readonly Fields[];
  readonly stop: string | undefined;
}

/** The objects of a body: the events of a stream, or else the whole body. */
function eventsOf(text: string): readonly Fields[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data:'));
  const texts = lines.length > 0 ? lines.map((line) => line.slice(5)) : [text];
  return texts.flatMap((json) => {
    try {
      const value: unknown = JSON.parse(json);
      return isFields(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** Undefined if the body is not a reply, as with an error. */
export function messagesReplyIn(text: string): SentReply | undefined {
  const blocks: Record<string, unknown>[] = [];
  const inputs = new Map<number, string>();
  let stop: unknown;
  for (const event of eventsOf(text)) {
    const at = Number(event.index);
    const block = blocks[at];
    if (event.type === 'message')
      return { content: fieldsIn(event.content), stop: String(event.stop_reason) };
    if (event.type === 'content_block_start' && isFields(event.content_block))
      blocks[at] = { ...event.content_block };
    if (event.type === 'content_block_delta' && block && isFields(event.delta)) {
      const { type, partial_json: json, ...delta } = event.delta;
      if (type === 'input_json_delta') inputs.set(at, (inputs.get(at) ?? '') + String(json));
      else addTo(block, delta);
    }
    if (event.type === 'message_delta' && isFields(event.delta)) stop = event.delta.stop_reason;
  }
  for (const [at, json] of inputs) {
    const block = blocks[at];
    const [input] = eventsOf(json);
    if (block && input) block.input = input;
  }
  const content = blocks.filter(Boolean);
  return content.length > 0 ? { content, stop: stop === undefined ? undefined : String(stop) } : undefined;
}

/** Texts grow, but signatures come whole; citations join their list. */
function addTo(block: Record<string, unknown>, delta: Fields): void {
  for (const [key, value] of Object.entries(delta)) {
    if (key === 'citation') block.citations = [...fieldsIn(block.citations), value];
    else if (key === 'signature' || typeof value !== 'string') block[key] = value;
    else block[key] = `${block[key] ?? ''}${value}`;
  }
}

/** The assistant's message of a Chat Completions reply; undefined if the body is not one. */
export function chatReplyIn(text: string): Fields | undefined {
  const message: Record<string, unknown> = {};
  const calls: Record<string, unknown>[] = [];
  for (const { choices } of eventsOf(text)) {
    const choice = fieldsIn(choices)[0];
    if (choice && isFields(choice.message)) return choice.message;
    if (!choice || !isFields(choice.delta)) continue;
    const { tool_calls: pieces, reasoning_content: thought, reasoning_details: details } = choice.delta;
    if (typeof thought === 'string')
      message.reasoning_content = `${message.reasoning_content ?? ''}${thought}`;
    if (Array.isArray(details))
      message.reasoning_details = [...fieldsIn(message.reasoning_details), ...details];
    for (const piece of fieldsIn(pieces)) {
      if (piece.id) calls.push({ ...piece });
      else
        Object.assign(calls.at(-1) ?? {}, piece.extra_content ? { extra_content: piece.extra_content } : {});
    }
  }
  if (calls.length > 0) message.tool_calls = calls;
  return Object.keys(message).length > 0 ? message : undefined;
}

/** The items of a reply of the Responses API, as they were when they were done. */
export const itemsIn = (text: string): readonly Fields[] =>
  eventsOf(text).flatMap((event) => {
    if (event.object === 'response') return fieldsIn(event.output);
    return event.type === 'response.output_item.done' ? fieldsIn([event.item]) : [];
  });

/** The parts of a reply of Gemini's API. */
export const partsIn = (text: string): readonly Fields[] =>
  eventsOf(text).flatMap(({ candidates }) => {
    const content = fieldsIn(candidates)[0]?.content;
    return isFields(content) ? fieldsIn(content.parts) : [];
  });
