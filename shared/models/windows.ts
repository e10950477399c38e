import { own } from '../agent/plain/merge.ts';

/**
 * Windows in tokens, of a request with its reply, for models that the price table lacks or has with another number than
 * the server.
 */

const MORE: Readonly<Record<string, number>> = {
  // ai.google.dev/gemini-api/docs/models; the server says the same (google-gemini/gemini-cli#4231).
  'gemini-2.5-pro': 1_048_576,
  'gemini-3-pro-preview': 1_048_576,
  'gemini-3.1-pro-preview': 1_048_576,
  // The server's number since it serves DeepSeek V3.1 (evalstate/fast-agent#621); the table has that of V3.
  'deepseek-chat': 131_072,
  'deepseek-reasoner': 131_072,
};

/**
 * Tokens that OpenAI reserves for the reply of these models, however short it is: it refuses a prompt longer than the
 * rest (cline/cline#5474).
 */
const KEPT_FOR_REPLIES = 128_000;
const COUNTS_THE_PROMPT_ALONE = /(?:^|[/.])gpt-5/;

/**
 * The window of a model; undefined if unknown.
 *
 * @param id of the model in the table
 * @param listed the table's number
 */
export function windowOf(id: string, listed: number | undefined): number | undefined {
  if (Object.hasOwn(MORE, id)) return own(MORE, id);
  const isOver = listed !== undefined && listed > 2 * KEPT_FOR_REPLIES;
  return isOver && COUNTS_THE_PROMPT_ALONE.test(id) ? listed - KEPT_FOR_REPLIES : listed;
}
