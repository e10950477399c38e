import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as converse from '../../support/converse-events.ts';
import * as gemini from '../../support/gemini-events.ts';
import { block, message, text, thinking, toolUse } from '../../support/model-events.ts';
import { apiError, reply, type Step, status } from '../../support/model-server.ts';
import { calls, completion, delta, says } from '../../support/openai-events.ts';
import * as responses from '../../support/responses-events.ts';
import { strictDoor } from '../../support/strict/door.ts';
import { type Dialect, type Fields, fieldsIn, isFields, type Refusal } from '../../support/strict/rule.ts';

/** The answers of a model in a walk. A failing walk prints these names, so that it can be read. */
export const answers = [
  'text',
  'half a character',
  'blank',
  'nothing',
  'thought and text',
  'thought and calls',
  'text and calls',
  'call that is cut',
  'text that is cut',
  'search and text',
  'search that goes on',
  'search that is cut',
  'unknown block',
  'refusal',
  'overloaded',
] as const;
export type AnswerName = (typeof answers)[number];

let n = 0;

/** The reply of a Messages server. A turn that it has paused continues with the findings of its search. */
function messagesStep(name: AnswerName, body: Fields): Step {
  const id = ++n;
  const last = fieldsIn(body.messages).at(-1) ?? {};
  const open = last.role === 'assistant' ? fieldsIn(last.content).filter(isSearch) : [];
  const found = open.map(({ id: of }) => found1(String(of)));
  const whole = (blocks: Parameters<typeof message>[0], stop?: string) =>
    reply(message([...found, ...blocks], stop));
  const search = block({ type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search', input: {} });
  const call = (k: number) => toolUse(`toolu_${id}_${k}`, 'get', JSON.stringify({ n: id }));
  switch (name) {
    case 'text':
      return whole([text(`Answer ${id}.`)]);
    case 'half a character':
      return whole([text(`Answer ${id} \ud83d`)], 'max_tokens');
    case 'blank':
      return whole([text(' \n')]);
    case 'nothing':
      return whole([]);
    case 'thought and text':
      return whole([thinking(`sig-${id}`, 'Hm.'), text(`Answer ${id}.`)]);
    case 'thought and calls':
      return whole([thinking(`sig-${id}`), call(1), call(2)], 'tool_use');
    case 'text and calls':
      return whole([text('On it.'), call(1)], 'tool_use');
    case 'call that is cut':
      return whole([text('On it.'), toolUse(`toolu_${id}_1`, 'get', '{"n":')], 'max_tokens');
    case 'text that is cut':
      return whole([text(`Answer ${id} is`)], 'max_tokens');
    case 'search and text':
      return whole([search, found1(`srvtoolu_${id}`), text(`Found ${id}.`)]);
    case 'search that goes on':
      return whole([text('Searching.'), search], 'pause_turn');
    case 'search that is cut':
      return whole([text('Searching.'), search], 'max_tokens');
    case 'unknown block':
      return whole([block({ type: 'of_tomorrow', data: `x${id}` }), text(`Answer ${id}.`)]);
    case 'refusal':
      return whole([], 'refusal');
    case 'overloaded':
      return apiError(529, 'overloaded_error');
    default:
      return name satisfies never;
  }
}

const isSearch = (one: Fields): boolean => one.type === 'server_tool_use';
const found1 = (of: string) => block({ type: 'web_search_tool_result', tool_use_id: of, content: [] });

/** The reply of a Chat Completions server: content without an equivalent is text. */
function chatStep(name: AnswerName, dialect: Dialect): Step {
  const id = ++n;
  const idOf = (k: number) =>
    dialect === 'mistral'
      ? `${id}x${k}`.padStart(9, '0')
      : dialect === 'kimi'
        ? `functions.get:${id * 10 + k}`
        : `call_${id}_${k}`;
  const call = (k: number) => calls(k, idOf(k), 'get', JSON.stringify({ n: id }));
  const signed = (pieces: readonly string[]) =>
    pieces.map((piece) =>
      piece.replace(
        '"type":"function"',
        `"type":"function","extra_content":{"google":{"thought_signature":"s${id}"}}`,
      ),
    );
  const first = dialect === 'gemini' ? signed(call(0)) : call(0);
  const thought = thoughtOf(dialect, `Hm ${id}.`);
  switch (name) {
    case 'half a character':
      return reply(completion(says(`Answer ${id} \ud83d`), 'length'));
    case 'blank':
      return reply(completion(says(' ')));
    case 'nothing':
      return reply(completion([]));
    case 'thought and calls':
      return reply(completion([...thought, ...first, ...call(1)], 'tool_calls'));
    case 'text and calls':
      return reply(completion([...thought, ...says('On it.'), ...first], 'tool_calls'));
    case 'call that is cut':
      return reply(completion([...thought, ...calls(0, idOf(0), 'get', '{"n":')], 'length'));
    case 'text that is cut':
      return reply(completion(says(`Answer ${id} is`), 'length'));
    case 'refusal':
      return reply(completion(says('I'), 'content_filter'));
    case 'overloaded':
      return status(503, {}, { error: { message: 'overloaded' } });
    case 'text':
    case 'thought and text':
    case 'search and text':
    case 'search that goes on':
    case 'search that is cut':
    case 'unknown block':
      return reply(completion([...thought, ...says(`Answer ${id}.`)]));
    default:
      return name satisfies never;
  }
}

/** The reply of a Responses server: content without an equivalent is text. */
function responsesStep(name: AnswerName): Step {
  const id = ++n;
  const thought = (k: number, ...summary: string[]) =>
    responses.thinks(`rs_${id}_${k}`, `enc-${id}-${k}`, ...summary);
  const call = (k: number, json = JSON.stringify({ n: id })) =>
    responses.calls(`fc_${id}_${k}`, `call_${id}_${k}`, 'get', json);
  const says = (text: string) => responses.says(`msg_${id}`, text);
  const search = responses.item({
    ...{ type: 'web_search_call', id: `ws_${id}`, status: 'completed' },
    action: { type: 'search', query: 'a' },
  });
  const whole = (...items: responses.ItemScript[]) => reply(responses.response(items));
  const cut = (...items: responses.ItemScript[]) => reply(responses.incomplete(items, 'max_output_tokens'));
  switch (name) {
    case 'text':
      return whole(says(`Answer ${id}.`));
    case 'half a character':
      return cut(says(`Answer ${id} \ud83d`));
    case 'blank':
      return whole(thought(1), says(' '));
    case 'nothing':
      return whole(thought(1));
    case 'thought and text':
      return whole(thought(1, 'Hm.'), says(`Answer ${id}.`), thought(2));
    case 'thought and calls':
      return whole(thought(1, 'Hm.', 'So.'), call(1), thought(2), call(2));
    case 'text and calls':
      return whole(thought(1), says('On it.'), call(1));
    case 'call that is cut':
      return cut(thought(1), says('On it.'), call(1, '{"n":'));
    case 'text that is cut':
      return cut(thought(1), says(`Answer ${id} is`));
    case 'search and text':
    case 'search that goes on':
      return whole(thought(1), search, thought(2, 'Found.'), says(`Found ${id}.`));
    case 'search that is cut':
      return cut(thought(1), search);
    case 'unknown block':
      return whole(thought(1), thought(2), says(`Answer ${id}.`));
    case 'refusal':
      return whole(thought(1), responses.refuses(`msg_${id}`, 'No.'));
    case 'overloaded':
      return status(503, {}, { error: { message: 'overloaded' } });
    default:
      return name satisfies never;
  }
}

/** The reply of a Converse server: content without an equivalent is text. */
function converseStep(name: AnswerName): Step {
  const id = ++n;
  const thought = converse.thinks(`sig-${id}`, 'Hm.');
  const call = (k: number, json = JSON.stringify({ n: id })) =>
    converse.calls(`tooluse_${id}_${k}`, 'get', json);
  const whole = (blocks: readonly converse.BlockScript[], stop?: string) =>
    reply(converse.converse(blocks, stop));
  switch (name) {
    case 'half a character':
      return whole([converse.says(`Answer ${id} \ud83d`)], 'max_tokens');
    case 'blank':
      return whole([converse.says(' \n')]);
    case 'nothing':
      return whole([]);
    case 'thought and calls':
      return whole([thought, call(1), call(2)], 'tool_use');
    case 'text and calls':
      return whole([converse.says('On it.'), call(1)], 'tool_use');
    case 'call that is cut':
      return whole([converse.says('On it.'), call(1, '{"n":')], 'max_tokens');
    case 'text that is cut':
      return whole([converse.says(`Answer ${id} is`)], 'max_tokens');
    case 'unknown block':
      return whole([converse.hides('AAEC'), converse.says(`Answer ${id}.`)]);
    case 'refusal':
      return whole([], 'guardrail_intervened');
    case 'overloaded':
      return reply([converse.begins, converse.exception('throttlingException', { message: 'no' })]);
    case 'text':
    case 'thought and text':
    case 'search and text':
    case 'search that goes on':
    case 'search that is cut':
      return whole([thought, converse.says(`Answer ${id}.`)]);
    default:
      return name satisfies never;
  }
}

/** The reply of a Gemini server, which signs its parts: content without an equivalent is text. */
function generateStep(name: AnswerName): Step {
  const id = ++n;
  const call = (k: number, sign?: string) =>
    gemini.call('get', { n: id }, sign, k === 1 ? `g${id}` : undefined);
  const whole = (parts: Parameters<typeof gemini.generated>[0], reason?: string) =>
    reply(gemini.generated(parts, reason));
  switch (name) {
    case 'half a character':
      return whole([gemini.text(`Answer ${id} \ud83d`)], 'MAX_TOKENS');
    case 'blank':
      return whole([gemini.text(' \n', `blank ${id}`)]);
    case 'nothing':
      return whole([]);
    case 'thought and calls':
      return whole([gemini.thought('Hm.'), call(1, `first ${id}`), call(2)]);
    case 'text and calls':
      return whole([gemini.thought('Hm.', `hm ${id}`), gemini.text('On it.'), call(1, `call ${id}`)]);
    case 'call that is cut':
      return whole([gemini.text('On it.')], 'MALFORMED_FUNCTION_CALL');
    case 'text that is cut':
      return whole([gemini.text(`Answer ${id} is`)], 'MAX_TOKENS');
    case 'unknown block':
      return whole([{ executableCode: { code: '1' } }, gemini.text(`Answer ${id}.`, `code ${id}`)]);
    case 'refusal':
      return reply([gemini.blocked('SAFETY')]);
    case 'overloaded':
      return reply([gemini.chunk([gemini.text('Hi')]), gemini.wire(gemini.error(503, 'UNAVAILABLE'))]);
    case 'text':
    case 'thought and text':
    case 'search and text':
    case 'search that goes on':
    case 'search that is cut':
      return whole([gemini.thought('Hm.'), gemini.text(`Answer ${id}.`), gemini.text('', `end ${id}`)]);
    default:
      return name satisfies never;
  }
}

/** How a server streams the thinking of its model. */
function thoughtOf(dialect: Dialect, words: string): readonly string[] {
  switch (dialect) {
    case 'openai':
    case 'azure':
      return [];
    case 'mistral':
      return [delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: words }] }] })];
    case 'openrouter':
      return [
        delta({ reasoning: words, reasoning_details: [{ type: 'reasoning.text', text: words, index: 0 }] }),
      ];
    default:
      return [delta({ reasoning_content: words })];
  }
}

function secondaryStep(name: AnswerName, dialect: Dialect): Step {
  if (dialect === 'converse') return converseStep(name);
  if (dialect === 'generate') return generateStep(name);
  return dialect === 'responses' ? responsesStep(name) : chatStep(name, dialect);
}

/** Two strict servers that answer from one script, and with text when it is over. */
export interface WalkServers extends AsyncDisposable {
  readonly urls: { readonly primary: string; readonly secondary: string };
  readonly refusals: () => readonly Refusal[];
  /** Starts a new script, before a secondary server with this dialect. All state of the last one is cleared. */
  begin(script: readonly AnswerName[], dialect: Dialect): void;
}

export async function walkServers(): Promise<WalkServers> {
  let left: AnswerName[] = [];
  let doors = { primary: strictDoor('anthropic'), secondary: strictDoor('openai') };
  let chat: Dialect = 'openai';
  const listen = async (which: 'primary' | 'secondary') => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const raw = Buffer.concat(chunks).toString();
      if (doors[which].refuses(request.url ?? '', raw, response)) return;
      const parsed: unknown = JSON.parse(raw);
      const body = isFields(parsed) ? parsed : {};
      const isSummary = raw.slice(-4_000).includes('is about to leave your context');
      const name = isSummary ? 'text' : (left.shift() ?? 'text');
      const step = which === 'primary' ? messagesStep(name, body) : secondaryStep(name, chat);
      await step(response, new AbortController().signal);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const [primary, secondary] = [await listen('primary'), await listen('secondary')];
  return {
    urls: { primary: primary.url, secondary: secondary.url },
    refusals: () => [...doors.primary.refusals, ...doors.secondary.refusals],
    begin(script, dialect) {
      left = [...script];
      chat = dialect;
      doors = { primary: strictDoor('anthropic'), secondary: strictDoor(dialect) };
    },
    async [Symbol.asyncDispose]() {
      for (const { server } of [primary, secondary]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
