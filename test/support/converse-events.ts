/** Events of Bedrock's Converse API in wire format, for the scripted model server. */

import { EventStreamCodec } from '@smithy/core/event-streams';

type Fields = Readonly<Record<string, unknown>>;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

function frame(headers: Readonly<Record<string, string>>, payload: Fields): Uint8Array {
  const told = Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }] as const);
  return codec.encode({ headers: Object.fromEntries(told), body: Buffer.from(JSON.stringify(payload)) });
}

/** An event. Bedrock pads events to hide their length. */
export const event = (name: string, payload: Fields = {}): Uint8Array =>
  frame(
    { ':message-type': 'event', ':event-type': name, ':content-type': 'application/json' },
    { ...payload, p: 'abcdef' },
  );

/** An exception in the middle of a stream. */
export const exception = (name: string, payload: Fields): Uint8Array =>
  frame(
    { ':message-type': 'exception', ':exception-type': name, ':content-type': 'application/json' },
    payload,
  );

/** An error of the transport, which has no payload. */
export const transportError = (code: string, message: string): Uint8Array =>
  frame({ ':message-type': 'error', ':error-code': code, ':error-message': message }, {});

/** The events of a block, given its index. */
export type BlockScript = (index: number) => readonly Uint8Array[];

const grows = (index: number, delta: Fields) =>
  event('contentBlockDelta', { contentBlockIndex: index, delta });
const stops = (index: number) => event('contentBlockStop', { contentBlockIndex: index });

export const says =
  (...pieces: readonly string[]): BlockScript =>
  (index) => [...pieces.map((text) => grows(index, { text })), stops(index)];

export const thinks =
  (signature: string, ...pieces: readonly string[]): BlockScript =>
  (index) => [
    ...pieces.map((text) => grows(index, { reasoningContent: { text } })),
    ...(signature ? [grows(index, { reasoningContent: { signature } })] : []),
    stops(index),
  ];

/** Encrypted reasoning, in pieces of base64. */
export const hides =
  (...pieces: readonly string[]): BlockScript =>
  (index) => [
    ...pieces.map((redactedContent) => grows(index, { reasoningContent: { redactedContent } })),
    stops(index),
  ];

export const calls =
  (toolUseId: string, name: string, ...pieces: readonly string[]): BlockScript =>
  (index) => [
    event('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId, name } } }),
    ...pieces.map((input) => grows(index, { toolUse: { input } })),
    stops(index),
  ];

export const USAGE = { inputTokens: 20, outputTokens: 5, totalTokens: 25 };
export const begins = event('messageStart', { role: 'assistant' });
export const stop = (stopReason: string) => event('messageStop', { stopReason });
export const metadata = (usage: Fields = USAGE, more: Fields = {}) =>
  event('metadata', { usage, metrics: { latencyMs: 100 }, ...more });

/** A whole reply. */
export const converse = (blocks: readonly BlockScript[], stopReason = 'end_turn', usage: Fields = USAGE) => [
  begins,
  ...blocks.flatMap((block, at) => block(at)),
  stop(stopReason),
  metadata(usage),
];
