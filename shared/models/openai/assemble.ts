import type { Assembly } from '../../agent/define/provider.ts';
import { StreamFault } from '../../agent/define/provider.ts';
import { defined } from '../../agent/plain/defined.ts';
import type { Delta, ModelRequest } from '../../agent/ports/provider.ts';
import { type Given, type GivenCitation, withGiven } from '../../agent/session/given.ts';
import type { Reply, Used } from '../../agent/session/reply.ts';
import { noUsage } from '../../agent/session/session.ts';
import type { Block, Stop, ToolCall } from '../../agent/session/slots.ts';
import type { Usage } from '../../contract/session.ts';
import { errorIn } from '../common/error-in.ts';
import { type CallIds, callIds, callName } from '../common/ids.ts';
import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { usageReader, usedOf } from '../common/usage.ts';
import { billingReader } from './billing.ts';
import { readArguments, readParts } from './calls.ts';
import { withCitations } from './citations.ts';
import { contentReader } from './content.ts';
import { type CallDraft, callDrafts } from './drafts.ts';
import { failedCallIn } from './failed-generation.ts';
import { joinFields, MAX_KEPT_CHARS, OF_MESSAGE, unknownIn } from './kept.ts';
import { type ContentPiece, saidIn } from './said.ts';
import { usageOf } from './usage.ts';

/**
 * Builds a reply from the chunks of a Chat Completions stream. It tolerates servers that only resemble OpenAI's: ids
 * may be missing, indexes all 0, usage absent, reasoning in fields of its own.
 *
 * @param calls where the model's calls are: in `tool_calls`, or in its content as `<tool_call>` blocks
 * @param tellsDollars whether the server reports the cost of the call in `usage.cost`
 */
export function assemble(request: ModelRequest, calls: 'native' | 'xml', tellsDollars = false): Assembly {
  const reader = contentReader({ calls: calls === 'xml' });
  const drafts = callDrafts(request.tools.map(({ name }) => name));
  const counts = usageReader();
  const bill = billingReader(tellsDollars);
  let model = request.model;
  let usage = noUsage;
  let usageKnown = false;
  let streamed = 0;
  let reason: string | undefined;
  let refusal = '';
  /** A call that its server could not read. */
  let failedCall: string | undefined;
  let begun = false;
  /** The field in which thinking came, and the unknown fields of the message. */
  let as: string | undefined;
  let fields: Json = {};
  let citations: readonly GivenCitation[] = [];

  const take = ({ kind, text, as: stood }: ContentPiece): Delta[] => {
    streamed += text.length;
    switch (kind) {
      case 'text':
        return reader.write(text);
      case 'thinking':
        as ??= stood;
        return reader.think(text);
      case 'refusal':
        refusal += text;
        return [];
      default:
        return kind satisfies never;
    }
  };
  const takeDelta = (delta: Json): Delta[] => {
    streamed += drafts.take(delta);
    citations = withCitations(citations, delta);
    fields = joinFields(fields, unknownIn(delta, OF_MESSAGE), 'append');
    return saidIn(delta).flatMap(take);
  };

  const usedByNow = (): Used => {
    const billing = bill.billing();
    return { ...(begun ? usedOf(usage, request, streamed) : { usage }), ...defined({ billing }) };
  };

  const reply = (stop: Stop, stopDetail: string | undefined): Reply => {
    const { content, ...written } = finish(request, reader.parts(), drafts.all(), stop);
    const used = usedByNow();
    return {
      model,
      stop,
      ...defined({ stopDetail }),
      content: calls === 'native' ? asGiven(content, as, fields, citations) : content,
      ...written,
      ...defined({ malformed: failedCall ?? written.malformed }),
      ...used,
    };
  };

  return {
    take(chunk) {
      const error = errorIn(chunk);
      failedCall = error && failedCallIn(error);
      if (failedCall !== undefined) {
        begun = true;
        streamed += failedCall.length;
        reason = 'tool_calls';
        return reader.end();
      }
      if (error) throw new StreamFault({ kind: 'error_event', body: error });
      begun ||= Array.isArray(chunk.choices);
      model = stringAt(chunk, 'model') ?? model;
      const choice = Array.isArray(chunk.choices) && isObject(chunk.choices[0]) ? chunk.choices[0] : {};
      // Moonshot puts the usage of a reply into its last choice.
      const counted = usageOf(chunk, counts) ?? usageOf(choice, counts);
      // Some servers send another one without counts after it.
      if (counted && (!usageKnown || hasTokens(counted))) usage = counted;
      usageKnown ||= counted !== undefined;
      const delta = deltaOf(choice, streamed > 0);
      bill.take(chunk, delta);
      const deltas = takeDelta(delta);
      const ending = stringAt(choice, 'finish_reason');
      if (ending === undefined || ending === NONE) return deltas;
      reason = ending;
      if (FAILED.has(ending))
        throw new StreamFault({ kind: 'error_event', body: { error: { code: ending } } });
      // Some servers give a reason with every chunk. Only text that may be a tag waits for the end.
      return calls === 'native' ? deltas : [...deltas, ...reader.end()];
    },
    begun: () => begun,
    finished: () => reason !== undefined,
    complaint: counts.complaint,
    used: () => (usageKnown ? usedByNow() : undefined),
    whole() {
      if (reason === undefined || FAILED.has(reason)) return undefined;
      if (refusal !== '') return reply('refusal', refusal);
      const stop = toStop(reason);
      const cut = drafts.all().some(({ json }) => readArguments(json).kind === 'cut');
      // Some servers give the reason `tool_calls` or `stop` for a call that the limit has cut.
      if (cut && stop !== 'max_tokens') return reply('max_tokens', CUT);
      const detail = stop === 'unknown' || stop === 'refusal' ? reason : undefined;
      return reply(stop, detail);
    },
    cutInCall() {
      if (reason !== undefined) return undefined;
      reader.end();
      const inArguments = drafts.all().some(({ json }) => json === '' || readArguments(json).kind === 'cut');
      const open = inArguments || reader.parts().at(-1)?.kind === 'open_call';
      return open ? reply('max_tokens', CUT) : undefined;
    },
    interrupted: () => reply('interrupted', undefined),
  };
}

/**
 * The new part of a choice. Some gateways stream one chunk with the whole message in it; after pieces of that message
 * it adds nothing.
 */
const deltaOf = (choice: Json, hasBegun: boolean): Json =>
  isObject(choice.delta) || hasBegun ? objectAt(choice, 'delta') : objectAt(choice, 'message');

/** Some servers write the absence of a finish reason as text. */
const NONE = 'null';

const hasTokens = (usage: Usage): boolean => Object.values(usage).some((count) => count > 0);

const CUT = 'the arguments of a call were cut';

/**
 * Adds the fields that are sent back only to their own server: to thinking the field in which it came, and to the first
 * block the fields of the message.
 */
function asGiven(
  content: readonly Block[],
  as: string | undefined,
  message: Json,
  citations: readonly GivenCitation[],
): readonly Block[] {
  const hasFields = Object.keys(message).length > 0 && fits(message);
  return content.map((block, at) =>
    withGiven(block, {
      ...(block.type === 'thinking' && as && { as }),
      ...(at === 0 && hasFields && { message }),
      ...(at === 0 && citations.length > 0 && { citations }),
    }),
  );
}

const fits = (fields: object): boolean => JSON.stringify(fields).length <= MAX_KEPT_CHARS;

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
  // A call in content has a closing tag; a native call has no mark that says whether it was cut.
  const complete = stop === 'max_tokens' && written.calls.length > 0 && drafts.length === 0;
  const cutCalls = stop === 'max_tokens' && (written.cutCalls || drafts.length > 0);
  return {
    content: [...written.content, ...native.content],
    calls: [...written.calls, ...native.calls],
    ...(cutCalls && { cutCalls }),
    ...(complete && { callsComplete: true }),
    ...defined({ malformed: written.malformed }),
  };
}

function nativeCalls(
  drafts: readonly CallDraft[],
  newId: CallIds,
): { readonly content: readonly Block[]; readonly calls: readonly ToolCall[] } {
  const content: Block[] = [];
  const calls: ToolCall[] = [];
  for (const draft of drafts) {
    const input = readArguments(draft.json);
    if (input.kind === 'cut') continue;
    const id = newId(draft.id);
    const name = callName(draft.name);
    content.push(withGiven({ type: 'tool_use', id, name, input: input.sent }, givenWith(draft, id)));
    calls.push({ id, name, input: input.called });
  }
  return { content, calls };
}

function givenWith({ id, call, function: said }: CallDraft, ours: string): Given {
  const given = {
    ...(id !== undefined && id !== ours && { id }),
    ...(Object.keys(call).length > 0 && { call }),
    ...(Object.keys(said).length > 0 && { function: said }),
  };
  return fits(given) ? given : {};
}

/** Stop reasons that are failures of the server: of DeepSeek, when it is overloaded, and of OpenRouter. */
const FAILED: ReadonlySet<string> = new Set(['insufficient_system_resource', 'error']);

/** Why the model stopped. Reasons of other servers are `unknown`, not an error. */
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
