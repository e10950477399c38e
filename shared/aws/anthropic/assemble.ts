import type { Delta, ModelRequest } from '../../agent/ports.ts';
import type { Reply, Stop } from '../../agent/reply.ts';
import type { Usage } from '../../contract/session.ts';
import { callIds } from '../model/ids.ts';
import { isObject, type Json, objectAt, stringAt } from '../model/json.ts';
import type { Assembly } from '../model/provider.ts';
import { type UsageReader, usageReader } from '../model/usage.ts';
import { type Draft, finishBlocks, grow } from './blocks.ts';

/** Builds a reply from the events of the Messages API (platform-facts.md section 2, Events). */
export function assemble(request: Pick<ModelRequest, 'model' | 'messages'>): Assembly {
  const drafts = new Map<unknown, Draft>();
  const counts = usageReader();
  let { model } = request;
  let usage: Partial<Usage> = {};
  let outputKnown = false;
  let streamed = 0;
  let ending: Json = {};
  let begun = false;
  let finished = false;

  const reply = (stop: Stop, stopDetail: string | undefined, output: number): Reply => {
    const { content, calls, cutCalls } = finishBlocks([...drafts.values()], stop, callIds(request.messages));
    const { input = 0, cacheRead = 0, cacheWrite = 0 } = usage;
    return {
      model,
      stop,
      ...(stopDetail !== undefined && { stopDetail }),
      content,
      calls,
      usage: { input, output, cacheRead, cacheWrite },
      ...(cutCalls && { cutCalls }),
    };
  };

  return {
    take(event) {
      if (finished) return [];
      begun ||= typeof event.type === 'string' && event.type in EVENTS;
      switch (event.type) {
        case 'message_start': {
          const message = objectAt(event, 'message');
          model = stringAt(message, 'model') ?? model;
          usage = toUsage(message, counts);
          return [];
        }
        case 'content_block_start': {
          const block = objectAt(event, 'content_block');
          const { type } = block;
          if (typeof type !== 'string') return [];
          drafts.set(event.index, { block: { ...block, type }, json: '', stopped: false });
          return seen(stringAt(block, 'text'), stringAt(block, 'thinking'));
        }
        case 'content_block_delta': {
          const draft = drafts.get(event.index);
          const delta = objectAt(event, 'delta');
          if (draft === undefined) return [];
          streamed += grow(draft, delta);
          if (delta.type === 'text_delta') return seen(stringAt(delta, 'text'), undefined);
          if (delta.type === 'thinking_delta') return seen(undefined, stringAt(delta, 'thinking'));
          return [];
        }
        case 'content_block_stop': {
          const draft = drafts.get(event.index);
          if (draft) draft.stopped = true;
          return [];
        }
        case 'message_delta': {
          // Cumulative, and what does not apply is left out: a number replaces, silence keeps.
          const more = toUsage(event, counts);
          usage = { ...usage, ...more };
          outputKnown ||= more.output !== undefined;
          if (stringAt(objectAt(event, 'delta'), 'stop_reason')) ending = objectAt(event, 'delta');
          return [];
        }
        case 'message_stop':
          finished = true;
          return [];
        default:
          return [];
      }
    },
    begun: () => begun,
    finished: () => finished,
    complaint: counts.complaint,
    whole() {
      const reason = stringAt(ending, 'stop_reason');
      if (!finished || reason === undefined) return undefined;
      const stop = toStop(reason);
      return reply(stop, stopDetailOf(stop, reason, ending), usage.output ?? 0);
    },
    interrupted() {
      const { output = 0 } = usage;
      return reply(
        'interrupted',
        undefined,
        outputKnown ? output : Math.max(output, Math.ceil(streamed / 4)),
      );
    },
  };
}

const EVENTS = {
  message_start: true,
  content_block_start: true,
  content_block_delta: true,
  content_block_stop: true,
  message_delta: true,
  message_stop: true,
};

function seen(text: string | undefined, thinking: string | undefined): Delta[] {
  if (text !== undefined) return [{ kind: 'text', text }];
  if (thinking !== undefined) return [{ kind: 'thinking', text: thinking }];
  return [];
}

/** `input_tokens` excludes the cached ones; a server that sends no usage costs nothing (A9). */
function toUsage({ usage }: Json, counts: UsageReader): Partial<Usage> {
  if (!isObject(usage)) return {};
  const told = {
    input: counts.tokensAt(usage, 'input_tokens'),
    cacheRead: counts.tokensAt(usage, 'cache_read_input_tokens'),
    cacheWrite: counts.tokensAt(usage, 'cache_creation_input_tokens'),
    output: counts.tokensAt(usage, 'output_tokens'),
  };
  return Object.fromEntries(Object.entries(told).filter(([, count]) => count !== undefined));
}

/** A stream's real stop reason (A7). New ones may appear at any time: they are `unknown`, not an error. */
function toStop(reason: string): Stop {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'end_turn';
    case 'tool_use':
    case 'max_tokens':
    case 'pause_turn':
    case 'refusal':
      return reason;
    case 'model_context_window_exceeded':
      return 'context_limit';
    default:
      return 'unknown';
  }
}

function stopDetailOf(stop: Stop, reason: string, ending: Json): string | undefined {
  if (stop === 'refusal') return stringAt(objectAt(ending, 'stop_details'), 'category');
  return stop === 'unknown' ? reason : undefined;
}
