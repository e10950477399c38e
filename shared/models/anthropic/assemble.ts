import type { Assembly } from '../../agent/define/provider.ts';
import { defined } from '../../agent/plain/defined.ts';
import { isTooDeep } from '../../agent/plain/depth.ts';
import type { Delta, ModelRequest } from '../../agent/ports/provider.ts';
import type { Reply, Used } from '../../agent/session/reply.ts';
import { noUsage } from '../../agent/session/session.ts';
import type { Stop } from '../../agent/session/slots.ts';
import { callIds } from '../common/ids.ts';
import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { usageReader, usedOf } from '../common/usage.ts';
import { type Draft, finishBlocks, grow } from './blocks.ts';
import { usageBook } from './usage.ts';

/** Builds a reply from the events of the Messages API. */
export function assemble(request: ModelRequest): Assembly {
  const drafts: Draft[] = [];
  const counts = usageReader();
  let { model } = request;
  const book = usageBook(request, counts);
  let outputKnown = false;
  let streamed = 0;
  let ending: Json = {};
  let cleared = 0;
  let begun = false;
  let finished = false;
  /** Arguments have come for a call that was never begun. */
  let strayed = false;

  const reply = (stop: Stop, stopDetail: string | undefined, used: Used): Reply => {
    const { content, calls, cutCalls } = finishBlocks(drafts, stop, callIds(request.messages));
    return {
      model,
      stop,
      ...defined({ stopDetail }),
      content,
      calls,
      ...used,
      ...billed(content),
      ...(cleared > 0 && { cleared }),
      ...((cutCalls || strayed) && { cutCalls: true }),
    };
  };
  /** The newest block of an index: some proxies number all blocks 0, or do not number them. */
  const draftAt = (index: unknown): Draft | undefined => drafts.findLast((draft) => draft.index === index);
  const billed = (content: Reply['content']): Pick<Reply, 'billing' | 'contextTokens'> => {
    const billing = book.billing(content);
    const contextTokens = book.contextTokens();
    return { ...defined({ billing, contextTokens }) };
  };
  // The count at the start covers only the first token; the real one comes last.
  const usedByNow = (): Used => {
    if (!begun) return { usage: noUsage };
    if (outputKnown) return usedOf(book.usage(), request, streamed);
    const { usage: counted } = usedOf(book.usage(), request, streamed);
    return {
      usage: { ...counted, output: Math.max(counted.output, Math.ceil(streamed / 4)) },
      estimated: true,
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
          book.take(message);
          return [];
        }
        case 'content_block_start': {
          const block = objectAt(event, 'content_block');
          const { type } = block;
          if (typeof type !== 'string') return [];
          drafts.push({ index: event.index, block: { ...block, type }, json: '', stopped: false });
          streamed += begunWith(block);
          return seen(stringAt(block, 'text'), stringAt(block, 'thinking'));
        }
        case 'content_block_delta': {
          const delta = objectAt(event, 'delta');
          const draft = draftAt(event.index);
          if (draft === undefined) {
            strayed ||= delta.type === 'input_json_delta';
            return [];
          }
          streamed += grow(draft, delta);
          if (delta.type === 'text_delta') return seen(stringAt(delta, 'text'), undefined);
          if (delta.type === 'thinking_delta') return seen(undefined, stringAt(delta, 'thinking'));
          return [];
        }
        case 'content_block_stop': {
          const draft = draftAt(event.index);
          if (draft) draft.stopped = true;
          return [];
        }
        case 'message_delta': {
          book.take(event);
          outputKnown ||= counts.tokensAt(objectAt(event, 'usage'), 'output_tokens') !== undefined;
          cleared = clearedIn(event) ?? cleared;
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
    used: () =>
      Object.values(book.usage()).some((count) => count > 0) ? { ...usedByNow(), ...billed([]) } : undefined,
    whole() {
      const reason = stringAt(ending, 'stop_reason');
      if (!finished || reason === undefined) return undefined;
      const stop = toStop(reason);
      const used = usedOf(book.usage(), request, streamed);
      const said = reply(stop, stopDetailOf(stop, reason, ending), used);
      // A reply with a cut call is neither an empty reply nor the end of a turn, whatever stop reason the server gives.
      return said.cutCalls && CLAIMS_WHOLE.has(stop) ? reply('max_tokens', CUT, used) : said;
    },
    cutInCall() {
      const open = drafts.some(({ block, stopped }) => block.type === 'tool_use' && !stopped);
      return open && !finished ? reply('max_tokens', CUT, usedByNow()) : undefined;
    },
    interrupted: () => reply('interrupted', undefined, usedByNow()),
  };
}

/** Stop reasons that claim a whole reply. */
const CLAIMS_WHOLE: ReadonlySet<Stop> = new Set(['end_turn', 'tool_use', 'unknown']);
const CUT = 'a call was cut';

/** Characters that a block has from its start: all of them, if it comes in one piece. */
function begunWith(block: Json): number {
  const { input } = block;
  const said = (stringAt(block, 'text') ?? '').length + (stringAt(block, 'thinking') ?? '').length;
  const called = isObject(input) && Object.keys(input).length > 0 && !isTooDeep(input);
  return said + (called ? JSON.stringify(input).length : 0);
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

/** Tokens that the server's context editing has left out of the request; undefined if it reports nothing. */
function clearedIn({ context_management: told }: Json): number | undefined {
  const edits = isObject(told) && Array.isArray(told.applied_edits) ? told.applied_edits : undefined;
  return edits?.reduce<number>((sum, edit) => {
    const tokens = isObject(edit) ? edit.cleared_input_tokens : 0;
    return typeof tokens === 'number' && tokens > 0 ? sum + tokens : sum;
  }, 0);
}

/** The stop reason of a stream. New ones may appear at any time: they are `unknown`, not an error. */
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
