import { messageWithDigits } from './digits.ts';
import { eventsWith } from './events.ts';
import { isLostSession } from './failures.ts';
import { type Asked, isAnswerTo, isMessage, soundMessage } from './sound.ts';

/** A request, and the way to end its call if no answer comes. */
export interface Sent {
  readonly asked: Asked;
  /** Whether the request belonged to a session of the server's. */
  readonly hadSession: boolean;
  /** Ends the call: nothing more will come. */
  readonly fail: (error: Error) => void;
}

/** The method and id of a request, from its body. Empty for anything else. */
export function askedIn({ body }: RequestInit): Asked {
  try {
    const { method, id } = JSON.parse(String(body));
    return { method, id };
  } catch {
    return {};
  }
}

const DISCOVER = 'server/discover';
/** Statuses that mean the same for each message: the credential, or the address. */
const FOR_ALL = [401, 403, 404];

/**
 * The response to a POST in the form that the client reads, whatever the server has sent. The client refuses answers
 * with another content type than JSON's (modelcontextprotocol/java-sdk#748, aklivity/zilla#2214), and waits on after a
 * stream that ends without an answer (modelcontextprotocol/python-sdk#3052).
 */
export async function soundResponse(response: Response, sent: Sent): Promise<Response> {
  const { status, statusText, headers, body } = response;
  const { asked, hadSession, fail } = sent;
  const like = { status, statusText, headers };
  // A notification has no answer: what counts is the answer to the next request.
  if (asked.id === undefined || asked.method === undefined)
    return response.ok || FOR_ALL.includes(status) ? response : new Response(null, { status: 202 });
  if (status >= 300) {
    const text = await response.text();
    // Servers that do not know the method fail in many ways. The handshake, which comes next, shows whether this one works.
    if (asked.method === DISCOVER && status >= 500) return withoutDiscovery(asked);
    const isLost = status >= 400 && hadSession && isLostSession(status, text);
    return new Response(text, isLost ? { ...like, status: 404 } : like);
  }
  if (headers.get('content-type')?.includes('text/event-stream') && body)
    return new Response(streamWith(body, sent), like);
  const text = await response.text();
  const message = messageIn(text.replace(/^\ufeff/, ''), asked);
  if (message === undefined && asked.method === DISCOVER) return withoutDiscovery(asked);
  if (message === undefined ? text.trim() === '' : !isAnswerTo(message, asked))
    fail(new Error(`HTTP ${status} without an answer`));
  return message === undefined
    ? new Response(text || null, like)
    : Response.json(message, { headers: sessionOf(headers) });
}

/** The events of a stream, with their messages in the form that the client reads. */
export const soundStream = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  eventsWith(
    body,
    (data) => messageIn(data, {}),
    () => undefined,
  );

function streamWith(body: ReadableStream<Uint8Array>, { asked, fail }: Sent): ReadableStream<Uint8Array> {
  let isAnswered = false;
  const convert = (data: string) => {
    const message = messageIn(data, asked);
    isAnswered ||= isAnswerTo(message, asked);
    return message;
  };
  return eventsWith(body, convert, ({ isResumable, broken }) => {
    if (!isAnswered && !isResumable) fail(new Error('its stream ended without an answer', { cause: broken }));
  });
}

/** A message of JSON-RPC, or a list of them. Undefined for anything else. */
function messageIn(text: string, asked: Asked): object | undefined {
  try {
    // Only results of calls have numbers that are read.
    const mayBeCall = asked.method === undefined || asked.method === 'tools/call';
    const message: unknown = JSON.parse(mayBeCall ? messageWithDigits(text) : text);
    return isMessage(message) ? (soundMessage(message, asked) as object) : undefined;
  } catch {
    return undefined;
  }
}

const withoutDiscovery = ({ id }: Asked): Response =>
  Response.json({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });

/** The header that opens a session. */
function sessionOf(headers: Headers): Record<string, string> {
  const id = headers.get('mcp-session-id');
  return id === null ? {} : { 'mcp-session-id': id };
}
