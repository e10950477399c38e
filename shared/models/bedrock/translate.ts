import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { usageOf } from './usage.ts';

/** Translates the events of one reply into those of the Messages API, from which `anthropic/assemble.ts` builds a reply. */
export interface Translation {
  take(told: { readonly name: string; readonly event: Json }): Json[];
  /** Whether the server has said why the message stopped. */
  isStopped(): boolean;
  /** The end of the stream: the usage comes after the stop, and may be missing. */
  end(): Json[];
}

export function translation(): Translation {
  /** Kind of each open block, by its index. */
  const open = new Map<unknown, string>();
  /** Bytes of encrypted reasoning: its pieces are base64 each. */
  const encrypted = new Map<unknown, Buffer[]>();
  let stopped = false;
  let ended = false;

  /** A block begins with its first delta, unless it is a call. */
  const begin = (index: unknown, block: Json): Json[] => {
    if (open.has(index)) return [];
    open.set(index, String(block.type));
    return [{ type: 'content_block_start', index, content_block: block }];
  };
  const grown = (index: unknown, block: Json, delta: Json): Json[] => [
    ...begin(index, block),
    { type: 'content_block_delta', index, delta },
  ];

  const deltasOf = (index: unknown, delta: Json): Json[] => {
    const { text } = delta;
    if (typeof text === 'string')
      return grown(index, { type: 'text', text: '' }, { type: 'text_delta', text });
    if (isObject(delta.toolUse)) {
      const piece = stringAt(delta.toolUse, 'input') ?? '';
      return [
        { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: piece } },
      ];
    }
    if (!isObject(delta.reasoningContent)) return [];
    const { text: thinking, signature, redactedContent } = delta.reasoningContent;
    if (typeof redactedContent === 'string') {
      const pieces = encrypted.get(index) ?? [];
      encrypted.set(index, [...pieces, Buffer.from(redactedContent, 'base64')]);
      return [];
    }
    const block = { type: 'thinking', thinking: '' };
    return [
      ...(typeof thinking === 'string' ? grown(index, block, { type: 'thinking_delta', thinking }) : []),
      ...(typeof signature === 'string' ? grown(index, block, { type: 'signature_delta', signature }) : []),
    ];
  };

  const finish = (): Json[] => {
    if (ended || !stopped) return [];
    ended = true;
    return [{ type: 'message_stop' }];
  };

  return {
    take({ name, event }) {
      const { contentBlockIndex: index } = event;
      switch (name) {
        case 'messageStart':
          return [{ type: 'message_start', message: {} }];
        case 'contentBlockStart': {
          const { toolUse } = objectAt(event, 'start');
          if (!isObject(toolUse)) return [];
          const { toolUseId: id, name: called } = toolUse;
          return begin(index, { type: 'tool_use', id, name: called, input: {} });
        }
        case 'contentBlockDelta':
          return deltasOf(index, objectAt(event, 'delta'));
        case 'contentBlockStop': {
          const bytes = encrypted.get(index);
          const data = bytes && Buffer.concat(bytes).toString('base64');
          return [
            ...(data === undefined ? [] : begin(index, { type: 'redacted_thinking', data })),
            { type: 'content_block_stop', index },
          ];
        }
        case 'messageStop':
          stopped = true;
          return [{ type: 'message_delta', delta: stopOf(event) }];
        case 'metadata':
          return [{ type: 'message_delta', delta: {}, usage: usageOf(event) }, ...finish()];
        default:
          return [];
      }
    },
    isStopped: () => stopped,
    end: finish,
  };
}

/**
 * Why a message stopped, in the words of the Messages API. A guardrail of Bedrock and the filter of a model are refusals
 * (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html).
 */
function stopOf({ stopReason: reason }: Json): Json {
  switch (reason) {
    case 'guardrail_intervened':
    case 'content_filtered':
      return { stop_reason: 'refusal', stop_details: { category: reason } };
    default:
      return { stop_reason: typeof reason === 'string' && reason !== '' ? reason : 'missing' };
  }
}
