/** Events of the Responses API in wire format, for the scripted model server. */

import type { WireEvent } from './model-server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An item of a reply: the events that stream it, given its index, and the item as it is when it is done. */
export interface ItemScript {
  readonly events: (index: number) => readonly WireEvent[];
  readonly item: Fields;
}

const added = (index: number, item: Fields): WireEvent => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
});

const done = (index: number, item: Fields): WireEvent => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
});

/** A message, with its text in pieces. */
export function says(id: string, ...pieces: readonly string[]): ItemScript {
  return messageOf(id, {}, pieces);
}

/** A message with more fields, such as its `phase`, or with another part. */
export function messageOf(id: string, more: Fields, pieces: readonly string[]): ItemScript {
  const head = { id, type: 'message', role: 'assistant', ...more };
  const text = { type: 'output_text', text: pieces.join(''), annotations: [], logprobs: [] };
  const item = { ...head, status: 'completed', content: [text], ...more };
  return {
    item,
    events: (output_index) => [
      added(output_index, { ...head, status: 'in_progress', content: [] }),
      ...pieces.map((delta) => ({
        ...{ type: 'response.output_text.delta', item_id: id, output_index, content_index: 0, delta },
      })),
      done(output_index, item),
    ],
  };
}

/** A call, with its arguments in pieces. */
export function calls(id: string, callId: string, name: string, ...pieces: readonly string[]): ItemScript {
  const head = { id, type: 'function_call', call_id: callId, name };
  const item = { ...head, status: 'completed', arguments: pieces.join('') };
  return {
    item,
    events: (output_index) => [
      added(output_index, { ...head, status: 'in_progress', arguments: '' }),
      ...pieces.map((delta) => ({
        ...{ type: 'response.function_call_arguments.delta', item_id: id, output_index, delta },
      })),
      {
        ...{ type: 'response.function_call_arguments.done', item_id: id, output_index },
        arguments: item.arguments,
      },
      done(output_index, item),
    ],
  };
}

/** Reasoning in encrypted form, with the parts of its summary. */
export function thinks(id: string, encrypted: string | undefined, ...summary: readonly string[]): ItemScript {
  const head = { id, type: 'reasoning' };
  const parts = summary.map((text) => ({ type: 'summary_text', text }));
  const item = { ...head, summary: parts, ...(encrypted !== undefined && { encrypted_content: encrypted }) };
  return {
    item,
    events: (output_index) => [
      added(output_index, { ...head, summary: [], ...(encrypted && { encrypted_content: 'begun' }) }),
      ...summary.map((delta, summary_index) => ({
        ...{ type: 'response.reasoning_summary_text.delta', item_id: id, output_index, summary_index, delta },
      })),
      done(output_index, item),
    ],
  };
}

/** A message that refuses. */
export function refuses(id: string, ...pieces: readonly string[]): ItemScript {
  const head = { id, type: 'message', role: 'assistant' };
  const item = { ...head, status: 'completed', content: [{ type: 'refusal', refusal: pieces.join('') }] };
  return {
    item,
    events: (output_index) => [
      added(output_index, { ...head, status: 'in_progress', content: [] }),
      ...pieces.map((delta) => ({
        ...{ type: 'response.refusal.delta', item_id: id, output_index, content_index: 0, delta },
      })),
      done(output_index, item),
    ],
  };
}

/** An item that comes whole, such as that of a server's tool. */
export const item = (fields: Fields): ItemScript => ({
  item: fields,
  events: (index) => [added(index, fields), done(index, fields)],
});

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** A response object. */
export const responseOf = (items: readonly ItemScript[], more: Fields = {}): Fields => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-test-1',
  error: null,
  incomplete_details: null,
  output: items.map((one) => one.item),
  usage: USAGE,
  ...more,
});

/** The events of items, without the end of the response. */
export const begins = (items: readonly ItemScript[]): WireEvent[] => [
  { type: 'response.created', response: responseOf([], { status: 'in_progress', usage: null }) },
  ...items.flatMap((one, index) => one.events(index)),
];

/** A whole response. */
export const response = (items: readonly ItemScript[], more: Fields = {}): WireEvent[] => [
  ...begins(items),
  { type: 'response.completed', response: responseOf(items, more) },
];

/** A response that ended early. */
export const incomplete = (items: readonly ItemScript[], reason: string, more: Fields = {}): WireEvent[] => [
  ...begins(items),
  {
    type: 'response.incomplete',
    response: responseOf(items, { status: 'incomplete', incomplete_details: { reason }, ...more }),
  },
];
