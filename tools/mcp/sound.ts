import { isRecord } from '../../shared/agent/plain/merge.ts';
import { fieldsOf, textIn } from './loose.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The request that a message answers. Empty if the message came over a stream that answers several. */
export interface Asked {
  readonly method?: string;
  readonly id?: unknown;
}

/**
 * A server's message in the form that the client reads. The client refuses a whole message, and waits for another one,
 * for one field of a wrong form: `"error": null` next to a result (gensecaihq/Wazuh-MCP-Server#59), an id as text
 * (modelcontextprotocol/python-sdk#1720), `null` (helidon-io/helidon-mcp#65) or always 0 (radareorg/radare2-mcp#68), an
 * error without a number as its code (modelcontextprotocol/csharp-sdk#1799), `params` that PHP has written as a list
 * (laravel/mcp#135). Pure.
 */
export function soundMessage(message: unknown, asked: Asked): unknown {
  if (Array.isArray(message)) return message.map((one) => soundMessage(one, asked));
  if (!isRecord(message)) return message;
  const { method, params, id, result, error } = message;
  if (typeof method === 'string')
    return { jsonrpc: '2.0', method, ...('id' in message && { id }), ...(isRecord(params) && { params }) };
  if (!isAnswer(message)) return message;
  // If a message has both, the request may have failed (modelcontextprotocol/rust-sdk#1283).
  const outcome = isNothing(error) ? { result: soundResult(result, asked) } : { error: soundError(error) };
  return { jsonrpc: '2.0', id: idOf(id, asked.id), ...outcome };
}

/** Whether this is a message of JSON-RPC, in whatever form, or a list of them. */
export const isMessage = (message: unknown): boolean =>
  Array.isArray(message)
    ? message.some(isMessage)
    : isRecord(message) && (typeof message.method === 'string' || isAnswer(message));

const isAnswer = (message: Fields): boolean => 'result' in message || !isNothing(message.error);

/** Whether a message in its sound form, or one of a list, answers the request. */
export const isAnswerTo = (message: unknown, asked: Asked): boolean =>
  Array.isArray(message)
    ? message.some((one) => isAnswerTo(one, asked))
    : isRecord(message) && isAnswer(message) && message.id === asked.id;

const isNothing = (value: unknown): boolean => value === undefined || value === null;

/** Our ids are numbers above 0: another such number may be a different request's, anything else is the id that was asked. */
function idOf(theirs: unknown, asked: unknown): unknown {
  const number = typeof theirs === 'string' && theirs !== '' ? Number(theirs) : theirs;
  return asked === undefined || (Number.isSafeInteger(number) && Number(number) > 0) ? number : asked;
}

/** JSON-RPC's code of an internal error. */
const INTERNAL = -32_603;

function soundError(error: unknown): Fields {
  const { code, message, data } = fieldsOf(error);
  const number = typeof code === 'string' && code !== '' ? Number(code) : code;
  return {
    code: Number.isSafeInteger(number) ? number : INTERNAL,
    message: textIn(message) ?? textIn(error) ?? JSON.stringify(error),
    ...(!isNothing(data) && { data }),
  };
}

function soundResult(result: unknown, { method }: Asked): Fields {
  // A list or a text can only be the content of a call.
  const { _meta, ...fields } = isRecord(result) ? result : isNothing(result) ? {} : { content: result };
  if (method === 'initialize' || (method === undefined && 'protocolVersion' in fields))
    return soundHandshake(fields);
  return { ...fields, ...(isRecord(_meta) && { _meta }) };
}

/**
 * The used parts of a handshake. A capability counts if it is there, in whatever form: PHP writes `[]`
 * (php-mcp/schema#2), serializers of other languages `null`. A server that says nothing about its capabilities is asked
 * for its tools.
 */
function soundHandshake({ protocolVersion, capabilities, serverInfo }: Fields): Fields {
  const { name, version } = fieldsOf(serverInfo);
  const told = isRecord(capabilities) ? capabilities : { tools: {} };
  return {
    protocolVersion,
    capabilities: Object.fromEntries(
      USED.filter((key) => !isNothing(told[key]) && told[key] !== false).map((key) => [key, {}]),
    ),
    serverInfo: { name: textIn(name) ?? 'unnamed', version: textIn(version) ?? 'unknown' },
  };
}

const USED = ['tools', 'resources'] as const;
