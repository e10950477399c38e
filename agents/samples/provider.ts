/**
 * A complete provider of your own, for a server that speaks neither of the APIs that Steploop knows. Its API is invented: `POST
 * /converse`, answered by a line of JSON for each event.
 *
 *     { "say": "Half past" } { "call": { "id": "c1", "name": "look", "input": {} } }
 *     { "tokens": { "in": 80, "out": 20 } } { "end": "done" } { "trouble": "busy", "text": "Come back later." }
 *
 * Declare it, and its server, in `defineDeployment` (docs/providers.md#a-provider-of-your-own).
 */

import {
  type Answer,
  type Assembly,
  type Dialect,
  defineProvider,
  type JsonObject,
  type ModelRequest,
  type ProviderKit,
  type Reply,
  StreamFault,
} from 'steploop';

export const lines = defineProvider({
  protocol: ({ baseUrl, headers, fetch }, kit) => ({
    async send({ model, system, messages, tools, maxTokens, request }, key, signal) {
      const response = await fetch(`${baseUrl}/converse`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers(key) },
        body: JSON.stringify({ ...request, model, system, messages, tools, limit: maxTokens }),
        signal,
      });
      if (response.ok) return response;
      throw new Refused({ status: response.status, body: await bodyOf(response), headers: response.headers });
    },
    events,
    assemble: (request) => assemble(request, kit),
    errors,
    lingerMs: 100,
  }),
});

/** The server has answered with an error. */
class Refused extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`the server answered ${answer.status}`);
    this.answer = answer;
  }
}

const bodyOf = (response: Response): Promise<JsonObject> =>
  response.json().then(
    (body) => (body ?? {}) as JsonObject,
    () => ({}),
  );

const errors: Dialect = {
  answerOf: (error) => (error instanceof Refused ? error.answer : undefined),
  // The error of `fetch` if there is no answer.
  isUnreachable: (error) => error instanceof TypeError,
  statusOfEvent: ({ trouble }) => (trouble === 'busy' ? 429 : 500),
  said: ({ status, body: { trouble, text } }) => ({
    code: typeof trouble === 'string' ? trouble : `http_${status}`,
    message: typeof text === 'string' ? text : '',
    account: trouble === 'unpaid',
  }),
};

async function* events({ body }: Response): AsyncGenerator<JsonObject> {
  let rest = '';
  const chunks = body?.pipeThrough(new TextDecoderStream()) ?? [];
  try {
    for await (const chunk of chunks) {
      const whole = (rest + chunk).split('\n');
      rest = whole.pop() ?? '';
      for (const line of whole) if (line.trim() !== '') yield eventOf(line);
    }
  } catch (error) {
    throw error instanceof StreamFault ? error : new StreamFault({ kind: 'broken' });
  }
}

function eventOf(line: string): JsonObject {
  let event: JsonObject;
  try {
    event = JSON.parse(line);
  } catch {
    throw new StreamFault({ kind: 'malformed' });
  }
  if (event.trouble !== undefined) throw new StreamFault({ kind: 'error_event', body: event });
  return event;
}

const STOPS = { done: 'end_turn', calls: 'tool_use', limit: 'max_tokens' } as const;

function assemble(request: ModelRequest, kit: ProviderKit): Assembly {
  const idOf = kit.callIds(request.messages);
  const calls: { id: string; name: string; input: unknown }[] = [];
  let text = '';
  let told = {};
  let begun = false;
  let end: unknown;

  const used = () => kit.usedOf(told, request, text.length + JSON.stringify(calls).length);
  const reply = (stop: Reply['stop']): Reply => ({
    model: request.model,
    stop,
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((call) => ({ type: 'tool_use', ...call })),
    ],
    calls,
    ...used(),
  });
  return {
    take({ say, call, tokens, end: ended }) {
      begun = true;
      if (typeof say === 'string') text += say;
      if (isCall(call))
        calls.push({ id: idOf(call.id), name: kit.callName(call.name), input: call.input ?? {} });
      if (isTokens(tokens)) told = { input: tokens.in, output: tokens.out };
      end ??= ended;
      return typeof say === 'string' ? [{ kind: 'text', text: say }] : [];
    },
    begun: () => begun,
    finished: () => end !== undefined,
    complaint: () => undefined,
    used: () => (Object.keys(told).length > 0 ? used() : undefined),
    whole: () => (end === undefined ? undefined : reply(STOPS[end as keyof typeof STOPS] ?? 'unknown')),
    // A call arrives complete or not at all.
    cutInCall: () => undefined,
    interrupted: () => reply('interrupted'),
  };
}

const isCall = (value: unknown): value is { id?: string; name?: string; input?: unknown } =>
  typeof value === 'object' && value !== null && 'name' in value;
const isTokens = (value: unknown): value is { in: number; out: number } =>
  typeof value === 'object' && value !== null && 'in' in value && 'out' in value;
