import { _iterSSEMessages } from 'openai/streaming';
import { StreamFault } from '../../agent/define/provider.ts';
import { errorIn, errorInWhole } from '../common/error-in.ts';
import { isObject, type Json, objectAt, parse } from '../common/json.ts';
import { inOnePiece } from '../common/one-piece.ts';

/** How one API reads its events. */
export interface EventForm {
  /** A reply in one piece, as the events that would have held all of it. Throws a `StreamFault` if it is none. */
  readonly whole: (body: Json) => readonly Json[];
  /** Whether an event of this name must be JSON; null is an event without a name. Any other may hold anything. */
  readonly isKnown: (name: string | null) => boolean;
  /** The event, given the name that it had on the wire. */
  readonly named?: (event: Json, name: string | null) => Json;
}

/**
 * The events of a streamed reply as they come, until `[DONE]` or the end of the body.
 *
 * @param alive called for every packet: some servers send comments while the model has nothing to say yet, and these APIs
 *   have no other sign of life
 */
export const eventsOf = (form: EventForm) =>
  async function* events(response: Response, alive: () => void): AsyncGenerator<Json | undefined> {
    if (response.body === null) return;
    const whole = await inOnePiece(response);
    if (whole.kind === 'json') yield* form.whole(whole.body);
    else yield* streamed(whole.response, alive, form);
  };

async function* streamed(
  response: Response,
  alive: () => void,
  form: EventForm,
): AsyncGenerator<Json | undefined> {
  if (response.body === null) return;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(packet, next) {
        alive();
        next.enqueue(packet);
      },
    }),
  );
  const messages = _iterSSEMessages(new Response(body), new AbortController());
  try {
    for (;;) {
      const next = await messages.next().catch(asBroken);
      if (next.done) return;
      yield* errorLines(next.value.raw);
      if (next.value.data.trim() === '[DONE]') return;
      yield toEvent(next.value.event, next.value.data, form);
    }
  } finally {
    await messages.return().catch(() => undefined);
  }
}

/**
 * Errors of llama.cpp until the end of 2025, which wrote them in a field of their own: `error: {"code":400,…}`
 * (coddy-project/coddy-agent#106).
 */
function* errorLines(lines: readonly string[]): Generator<Json> {
  for (const line of lines) {
    const error = line.startsWith('error:') ? parse(line.slice('error:'.length)) : undefined;
    if (isObject(error)) yield { error };
  }
}

/**
 * The content of an event; an error is one too. Events of unknown names may hold anything: they count as a sign of life.
 * So does one without data, which the standard says to ignore.
 */
function toEvent(name: string | null, data: string, { isKnown, named }: EventForm): Json | undefined {
  if (data === '') return undefined;
  const event = parse(data);
  if (event === undefined && isKnown(name)) throw new StreamFault({ kind: 'malformed' });
  if (!isObject(event)) return undefined;
  return named ? named(event, name) : event;
}

/** Events of Chat Completions have no name. */
const KNOWN: ReadonlySet<string | null> = new Set([null, '', 'message', 'error']);

/** The chunks of a reply of Chat Completions. */
export const events = eventsOf({ whole: (body) => [asChunk(body)], isKnown: (name) => KNOWN.has(name) });

/** A completion in one piece as the one chunk that would have held all of it. */
function asChunk(body: Json): Json {
  const choice = Array.isArray(body.choices) && isObject(body.choices[0]) ? body.choices[0] : undefined;
  // Only a completion with a stop reason is whole.
  const isWhole = typeof choice?.finish_reason === 'string';
  const error = isWhole ? errorIn(body) : errorInWhole(body);
  if (error) return error;
  if (!isWhole) throw new StreamFault({ kind: 'malformed' });
  const message = objectAt(choice, 'message');
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  // Here the position identifies a call; in a chunk its `index` does.
  const delta = { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) };
  return { ...body, choices: [{ ...choice, delta: calls.length > 0 ? delta : message }] };
}

function asBroken(): never {
  throw new StreamFault({ kind: 'broken' });
}
