import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from './client.ts';
import { plainText } from './plain-text.ts';

/** What is wrong with a server, in words that go on after its name. */
export class Told extends Error {}

/** Characters of a server's own words in an error. */
const MAX_WORDS = 500;

/** What went wrong with a server, as the end of a sentence that its name begins. A refusal of who calls is told without its words. */
export function wordsOf(error: unknown): string {
  if (error instanceof UnauthorizedError)
    return 'refuses the credential that it was sent, or wants one (HTTP 401)';
  if (error instanceof SdkHttpError) return ofHttp(error);
  if (error instanceof ProtocolError)
    return `answers with the error ${error.code}: ${plainText(error.message, MAX_WORDS)}`;
  if (isNoMcp(error))
    return `answers with what is no MCP (${plainText(error.message, 200)}): is its URL right?`;
  if (error instanceof Told) return error.message;
  const { message, cause } = error instanceof Error ? error : { message: String(error) };
  // Some say in their own words what their cause says.
  const isNews = cause instanceof Error && !message.includes(cause.message);
  const words = isNews ? `${message}: ${cause.message}` : message;
  return `cannot be reached, or did not answer: ${plainText(words, MAX_WORDS)}`;
}

/** JSON that is none, or that is no message of the protocol. */
const isNoMcp = (error: unknown): error is Error =>
  error instanceof SyntaxError ||
  (error instanceof Error && error.name === 'ZodError') ||
  (error instanceof SdkError &&
    (error.code === SdkErrorCode.ClientHttpUnexpectedContent || error.code === SdkErrorCode.InvalidResult));

function ofHttp({ status, message, data }: SdkHttpError): string {
  if (status === 401 || status === 403) return `refuses the credential that it was sent (HTTP ${status})`;
  // Where it leads is not followed: it would get what is meant for this server.
  if (status >= 300 && status < 400) return `redirects: ${plainText(message, MAX_WORDS)}`;
  const { text } = data;
  // A page for people says nothing that is worth its length.
  const words =
    typeof text === 'string' && text && !text.trimStart().startsWith('<')
      ? `: ${plainText(text, MAX_WORDS)}`
      : '';
  return `answers with HTTP ${status}${words}`;
}

/** Whether the server has refused a request before it did anything: then what was asked for has not happened. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof UnauthorizedError ||
  (error instanceof SdkHttpError && error.status >= 400 && error.status < 500 && error.status !== 408);
