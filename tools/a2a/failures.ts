import { withoutSecrets } from '../../shared/agent/plain/redact.ts';
import { plainText } from '../../shared/contract/plain-text.ts';

/** An error in words that follow the agent's name. */
export class Told extends Error {}

/** Most characters of an agent's own words in an error. */
const MAX_WORDS = 500;

/** The words of an error, with those of its cause. The secret is left out. */
export function wordsOf(error: unknown, secret: string | undefined): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error) };
  const isNews = cause instanceof Error && !message.includes(cause.message);
  const words = isNews ? `${message}: ${cause.message}` : message;
  return plainText(withoutSecrets(words, secret === undefined ? [] : [secret]), MAX_WORDS);
}

/** The error of a call, as a sentence. It has no cause, whose text might be logged. */
export function failureOf(name: string, error: unknown, secret: string | undefined): Error {
  const words =
    error instanceof Told
      ? error.message
      : `cannot be reached, or did not answer as A2A says: ${wordsOf(error, secret)}`;
  return new Error(`the agent ${name} ${words}`);
}

/** For a message whose answer was lost. */
export const lost = (): Told =>
  new Told(
    'was sent the message, and its answer was lost: it may or may not be working on it. Give it the task again only if that does no harm.',
  );
