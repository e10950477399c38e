import type { Assembly } from '../../agent/define/provider.ts';
import { StreamFault } from '../../agent/define/provider.ts';
import { isTooDeep, MAX_DEPTH } from '../../agent/plain/depth.ts';
import type { Delta, ModelRequest } from '../../agent/ports.ts';
import type { Reply } from '../../agent/session/reply.ts';
import { noUsage } from '../../agent/session/session.ts';
import type { Block, Stop, ToolCall } from '../../agent/session/slots.ts';
import { type CallIds, callIds, callName } from '../common/ids.ts';
import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { usageReader, usedOf } from '../common/usage.ts';
import { readArguments, readParts } from './calls.ts';
import { contentReader } from './content.ts';
import { usageOf } from './usage.ts';

/** A native call while it comes. */
interface CallDraft {
  readonly index: unknown;
  readonly id: string | undefined;
  name: string;
  json: string;
}

/**
 * Builds a reply from the chunks of a Chat Completions stream. Servers that only resemble OpenAI's are expected:
 * ids may be missing, indexes all 0, usage absent, reasoning in fields of its own.
 *
 * @param calls where the model's calls are: in `tool_calls`, or in its content as `<tool_call>` blocks
 */
export function assemble(request: ModelRequest, calls: 'native' | 'xml'): Assembly {
  const reader = contentReader({ calls: calls === 'xml' });
  const drafts: CallDraft[] = [];
  const counts = usageReader();
  let model = request.model;
  let usage = noUsage;
  let usageKnown = false;
  let streamed = 0;
  let reason: string | undefined;
  let refused = false;
  let begun = false;

  const takeDelta = (delta: Json): Delta[] => {
    const thought = stringAt(delta, 'reasoning_content') ?? stringAt(delta, 'reasoning') ?? '';
    const content = stringAt(delta, 'content') ?? '';
    refused ||= stringAt(delta, 'refusal') !== undefined;
    streamed += thought.length + content.length + takeCalls(drafts, delta);
    return [...reader.think(thought), ...reader.write(content)];
  };

  const reply = (stop: Stop, stopDetail: string | undefined): Reply => {
    const written = finish(request, reader.parts(), drafts, stop);
    const used = begun ? usedOf(usage, request, streamed) : { usage };
    return { model, stop, ...(stopDetail !== undefined && { stopDetail }), ...written, ...used };
  };

  return {
    take(chunk) {
      if (isObject(chunk.error) || stringAt(chunk, 'error') !== undefined)
        throw new StreamFault({ kind: 'error_event', body: chunk });
      begun ||= Array.isArray(chunk.choices);
      model = stringAt(chunk, 'model') ?? model;
      const counted = usageOf(chunk, counts);
      usage = counted ?? usage;
      usageKnown ||= counted !== undefined;
      const choice = Array.isArray(chunk.choices) && isObject(chunk.choices[0]) ? chunk.choices[0] : {};
      const deltas = takeDelta(objectAt(choice, 'delta'));
      const ending = stringAt(choice, 'finish_reason');
      if (ending === undefined) return deltas;
      reason = ending;
      if (FAILED.has(ending))
        throw new StreamFault({ kind: 'error_event', body: { error: { code: ending } } });
      return [...deltas, ...reader.end()];
    },
    begun: () => begun,
    finished: () => reason !== undefined,
    complaint: counts.complaint,
    used: () => (usageKnown ? usedOf(usage, request, streamed) : undefined),
    whole() {
      if (reason === undefined || FAILED.has(reason)) return undefined;
      if (refused) return reply('refusal', 'refusal');
      const stop = toStop(reason);
      const cut = drafts.some(({ json }) => readArguments(json).kind === 'cut');
      // A19, T18: some servers say `tool_calls` or `stop` of a call that the limit has cut.
      if (cut && stop !== 'max_tokens') return reply('max_tokens', CUT);
      const detail = stop === 'unknown' || stop === 'refusal' ? reason : undefined;
      return reply(stop, detail);
    },
    cutInCall() {
      if (reason !== undefined) return undefined;
      reader.end();
      const inArguments = drafts.some(({ json }) => json === '' || readArguments(json).kind === 'cut');
      const open = inArguments || reader.parts().at(-1)?.kind === 'open_call';
      return open ? reply('max_tokens', CUT) : undefined;
    },
    interrupted: () => reply('interrupted', undefined),
  };
}

const CUT = 'the arguments of a call were cut';

/** Adds pieces of calls to their drafts, and returns how many characters they have. */
function takeCalls(drafts: CallDraft[], delta: Json): number {
  const legacy = isObject(delta.function_call) ? [{ index: 0, function: delta.function_call }] : [];
  const pieces = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isObject) : legacy;
  let length = 0;
  for (const piece of pieces) {
    const said = objectAt(piece, 'function');
    const draft = draftFor(drafts, piece);
    draft.name ||= stringAt(said, 'name') ?? '';
    const json = isObject(said.arguments)
      ? textOfObject(said.arguments)
      : (stringAt(said, 'arguments') ?? '');
    draft.json += json;
    length += json.length;
  }
  return length;
}

/** Arguments that a server gives as an object; of those that are too deep to be written out, a text that is no JSON. */
const textOfObject = (given: Json): string =>
  isTooDeep(given) ? `nested deeper than ${MAX_DEPTH} levels` : JSON.stringify(given);

/** The call that a piece belongs to. Another id under a known index is another call: not all servers count. */
function draftFor(drafts: CallDraft[], piece: Json): CallDraft {
  const id = stringAt(piece, 'id');
  const known = drafts.findLast(({ index }) => piece.index === undefined || index === piece.index);
  if (known && (id === undefined || known.id === undefined || known.id === id)) return known;
  const draft: CallDraft = { index: piece.index, id, name: '', json: '' };
  drafts.push(draft);
  return draft;
}

type Written = Pick<Reply, 'content' | 'calls' | 'cutCalls' | 'callsComplete' | 'malformed'>;

function finish(
  { messages }: ModelRequest,
  parts: Parameters<typeof readParts>[0],
  drafts: readonly CallDraft[],
  stop: Stop,
): Written {
  const newId = callIds(messages);
  const written = readParts(parts, stop === 'max_tokens' || stop === 'interrupted', newId);
  const native = nativeCalls(drafts, newId);
  // A call in content has its end written out; of native calls nobody says which one was cut (H12).
  const complete = stop === 'max_tokens' && written.calls.length > 0 && drafts.length === 0;
  const cutCalls = stop === 'max_tokens' && (written.cutCalls || drafts.length > 0);
  return {
    content: [...written.content, ...native.content],
    calls: [...written.calls, ...native.calls],
    ...(cutCalls && { cutCalls }),
    ...(complete && { callsComplete: true }),
    ...(written.malformed !== undefined && { malformed: written.malformed }),
  };
}

function nativeCalls(
  drafts: readonly CallDraft[],
  newId: CallIds,
): { readonly content: readonly Block[]; readonly calls: readonly ToolCall[] } {
  const content: Block[] = [];
  const calls: ToolCall[] = [];
  for (const { id: given, name: called, json } of drafts) {
    const input = readArguments(json);
    if (input.kind === 'cut') continue;
    const id = newId(given);
    const name = callName(called);
    content.push({ type: 'tool_use', id, name, input: input.sent });
    calls.push({ id, name, input: input.called });
  }
  return { content, calls };
}

/** Endings that are failures of the server: of DeepSeek, when it is full, and of OpenRouter. */
const FAILED: ReadonlySet<string> = new Set(['insufficient_system_resource', 'error']);

/** Why the model stopped (A7). Reasons of other servers are `unknown`, not an error (A14). */
function toStop(reason: string): Stop {
  switch (reason) {
    case 'stop':
      return 'end_turn';
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
    case 'function_call':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    // Of Z.ai and of Mistral: the reply has filled the window.
    case 'model_context_window_exceeded':
    case 'model_length':
      return 'context_limit';
    default:
      return 'unknown';
  }
}
