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
  return error instanceof Told || error instanceof UnsupportedProtocolVersionError || isNoMcp(error);
}

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
