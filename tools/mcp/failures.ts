import { withoutSecrets } from '../../shared/agent/plain/redact.ts';
import { plainText } from '../../shared/contract/plain-text.ts';
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  UnsupportedProtocolVersionError,
} from './client.ts';

/** An error of a server, in words that follow its name. */
export class Told extends Error {}

/** Most characters of a server's own words in an error. */
const MAX_WORDS = 500;

/**
 * A server's error, as the end of a sentence that begins with its name. If the server refuses the credential, its words
 * are left out; what it repeats of the secret is left out in any case.
 */
export const wordsOf = (error: unknown, secret?: string): string => {
  const without = (text: string) => withoutSecrets(text, secret === undefined ? [] : [secret]);
  return without(said(error, without));
};

function said(error: unknown, without: (text: string) => string): string {
  if (error instanceof UnauthorizedError)
    return 'refuses the credential that it was sent, or wants one (HTTP 401)';
  if (error instanceof SdkHttpError) return ofHttp(error, without);
  if (error instanceof ProtocolError)
    return `answers with the error ${error.code}: ${plainText(without(error.message), MAX_WORDS)}`;
  if (isNoMcp(error))
    return `answers with something other than MCP (${plainText(without(error.message), 200)}): is its URL right?`;
  if (error instanceof Told) return error.message;
  if (isUnknownVersion(error))
    return `speaks a version of the protocol that is not supported (${plainText(without((error as Error).message), MAX_WORDS)})`;
  const { message, cause } = error instanceof Error ? error : { message: String(error) };
  // Some errors repeat the words of their cause.
  const isNews = cause instanceof Error && !message.includes(cause.message);
  const words = isNews ? `${message}: ${cause.message}` : message;
  return `cannot be reached, or did not answer: ${plainText(without(words), MAX_WORDS)}`;
}

/** Text that is not JSON, or not a message of the protocol. */
const isNoMcp = (error: unknown): error is Error =>
  error instanceof SyntaxError ||
  (error instanceof Error && error.name === 'ZodError') ||
  (error instanceof SdkError &&
    (error.code === SdkErrorCode.ClientHttpUnexpectedContent || error.code === SdkErrorCode.InvalidResult));

/** A version of the protocol that the client does not speak. */
const isUnknownVersion = (error: unknown): boolean =>
  error instanceof UnsupportedProtocolVersionError ||
  (error instanceof Error && error.message.startsWith("Server's protocol version is not supported"));

/** JSON-RPC errors which say that the requested method is missing, or cannot be called like this. */
const NEVER = [-32600, -32601, -32602];
/** Statuses below 500 after which a retry may succeed. */
const PASSING = [408, 409, 425, 429];

/**
 * Whether a retry in a minute cannot help: the server sends something other than MCP, or refuses the request itself. A
 * refused credential may be renewed (its secret is up to five minutes old); a missing one will not.
 */
export function isFinal(error: unknown, hasCredential: boolean): boolean {
  if (error instanceof UnauthorizedError) return !hasCredential;
  if (error instanceof SdkHttpError) {
    const { status } = error;
    if (status === 401 || status === 403) return !hasCredential;
    return status >= 300 && status < 500 && !PASSING.includes(status);
  }
  if (error instanceof ProtocolError) return NEVER.includes(error.code);
  return error instanceof Told || isUnknownVersion(error) || isNoMcp(error);
}

/** Words about a session that a server no longer knows. A tool may have sessions too: its own results are not read. */
const LOST =
  /\bsession(?:[ -]?id)?\b.{0,40}\b(?:not found|unknown|expired|terminated)|\b(?:unknown|invalid|expired|no valid|no such)\b.{0,12}\bsession|server not initialized|during session initialization/i;
/** Most characters that are searched for such words. */
const SEARCHED = 2_000;
/** Codes of such errors, of the SDKs in Go, TypeScript and Python. */
const OF_TRANSPORT = [0, -32_000, -32_001, -32_600];

/**
 * Whether a refused request names a session that its server has forgotten, so that it has not run. The protocol says
 * 404. Others say 400 (anthropics/claude-code#55970), 401 (modelcontextprotocol/rust-sdk#689), 403
 * (LanternOps/breeze#3744), 503 (markmhendrickson/neotoma#1923), or 200 with an error (actionhero/keryx#503).
 */
export function isLostSession(status: number, said: string): boolean {
  const words = said.slice(0, SEARCHED);
  if (status >= 500) return LOST.test(words);
  return status === 410 || /session|not initialized/i.test(words);
}

/** The same for an error within an answer. */
export const saysLostSession = (error: unknown): boolean =>
  error instanceof ProtocolError &&
  (OF_TRANSPORT.includes(error.code) || error.message.startsWith('Session')) &&
  LOST.test(error.message.slice(0, SEARCHED));

function ofHttp({ status, message, data }: SdkHttpError, without: (text: string) => string): string {
  if (status === 401 || status === 403) return `refuses the credential that it was sent (HTTP ${status})`;
  // A redirect is not followed: its target would get what is meant for this server.
  if (status >= 300 && status < 400) return `redirects: ${plainText(without(message), MAX_WORDS)}`;
  if (status === 404 || status === 405)
    return `takes no messages at this address (HTTP ${status}), neither over streamable HTTP nor over the older HTTP+SSE: is its URL right?`;
  const { text } = data;
  // The text of an HTML page is not worth its length.
  const words =
    typeof text === 'string' && text && !text.trimStart().startsWith('<')
      ? `: ${plainText(without(text), MAX_WORDS)}`
      : '';
  return `answers with HTTP ${status}${words}`;
}

/** Whether the server refused a request before it did anything: then the requested action has not happened. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof UnauthorizedError ||
  (error instanceof SdkHttpError && error.status >= 400 && error.status < 500 && error.status !== 408);
