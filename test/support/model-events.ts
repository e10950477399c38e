import type { WireEvent } from './model-server.ts';

/** Events of the Messages API, built from the contents that a test wants. */

/** A content block, with the deltas that bring it. */
export interface BlockScript {
  readonly start: WireEvent;
  readonly deltas: readonly WireEvent[];
}

/** Counts under the names of the API. */
export type WireUsage = Readonly<Record<string, number>>;

export const ping: WireEvent = { type: 'ping' };
export const messageStop: WireEvent = { type: 'message_stop' };

/** A text block, with one delta per piece. */
export function text(...pieces: readonly string[]): BlockScript {
  return {
    start: { type: 'text', text: '' },
    deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })),
  };
}

/** A thinking block. Without pieces it is the empty block of current models. */
export function thinking(signature: string, ...pieces: readonly string[]): BlockScript {
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
  };
}

/** A tool call, with its input in these pieces of JSON. */
export function toolUse(id: string | undefined, name: string, ...json: readonly string[]): BlockScript {
  return {
    start: { type: 'tool_use', ...(id !== undefined && { id }), name, input: {} },
    deltas: json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  };
}

/** Any block that is complete at its start. */
export function block(start: WireEvent, ...deltas: readonly WireEvent[]): BlockScript {
  return { start, deltas };
}

export function messageStart(
  usage: WireUsage | undefined = { input_tokens: 10, output_tokens: 1 },
): WireEvent {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test-1',
    content: [],
    stop_reason: null,
  };
  return { type: 'message_start', message: { ...message, usage } };
}

export function messageDelta(
  stopReason: string | null,
  usage: WireUsage | undefined = { output_tokens: 5 },
  more = {},
) {
  return { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null, ...more }, usage };
}

/** Start, deltas and stop of a block at an index. */
export function blockEvents({ start, deltas }: BlockScript, index: number): readonly WireEvent[] {
  return [...openBlock({ start, deltas }, index), { type: 'content_block_stop', index }];
}

/** A block that is never stopped. */
export function openBlock({ start, deltas }: BlockScript, index: number): readonly WireEvent[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  ];
}

/** A whole message. */
export function message(blocks: readonly BlockScript[], stopReason = 'end_turn'): readonly WireEvent[] {
  return [messageStart(), ping, ...blocks.flatMap(blockEvents), messageDelta(stopReason), messageStop];
}
