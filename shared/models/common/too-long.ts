/**
 * How servers say that a request does not fit into the window of their model: as data, because nearly every server has
 * its own wording, and most give no code. The wordings come from users who published the whole error: the collection
 * made by asking each provider too much (github.com/earendil-works/pi/issues/129 and its `utils/overflow.ts`), and the
 * source beside each line. Servers that report nothing are not covered: Ollama mostly cuts the prompt and answers with
 * a 200 (ollama/ollama#4967, #17889).
 */

import type { TooLong } from '../../agent/define/provider.ts';
import { isObject, parse, stringAt } from './json.ts';

/**
 * Whether an error says that the request is too long, and with which numbers. A message counts only if it begins with a
 * server's own words; a message that quotes what people wrote begins otherwise.
 *
 * @param message of the error, as the server sent it
 */
export function tooLongOf(code: string, message: string): TooLong | undefined {
  const said = wordsOf(message, MOST_NESTED);
  for (const wording of WORDINGS) {
    const found = wording.exec(said);
    if (found) return numbersOf(found.groups ?? {});
  }
  return CODES.has(code) ? {} : undefined;
}

/** OpenAI's, which Azure, Groq and Cerebras share; llama.cpp's `type`; Anthropic's for a body over its 32 MB. */
const CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'request_too_large',
]);

/** Characters of a message that are searched. */
const LOOKED_AT = 2_000;
/** Gateways quote the error of the server behind them as JSON, and chained gateways do so again. */
const MOST_NESTED = 3;

/** Prefixes that gateways and clouds put before the server's words (LiteLLM, Bedrock's Converse, DashScope). */
const BEFORE =
  /^(?:(?:<\d{3}>|[\w.]{1,60}(?:Error|Exception)(?: -|:)|InternalError\.[\w.]{1,60}:|(?:anthropic|bedrock|openai) error:|The model returned the following errors:|Input validation error:|Invalid request:) ){1,8}/i;

/** The server's own words, without what gateways put around them. */
function wordsOf(message: string, nested: number): string {
  const said = message.slice(0, LOOKED_AT).trim().replace(BEFORE, '');
  const end = said.lastIndexOf('}');
  if (nested === 0 || !/^\[?\s*\{/.test(said) || end < 0) return said;
  const body = parse(said.slice(said.indexOf('{'), end + 1));
  if (!isObject(body)) return said;
  const inner = stringAt(isObject(body.error) ? body.error : body, 'message') ?? stringAt(body, 'error');
  return inner === undefined ? said : wordsOf(inner, nested - 1);
}

/** `more` is added to `sent`: the tokens that the reply may have. */
function numbersOf({ sent, more, most }: Readonly<Record<string, string | undefined>>): TooLong {
  return {
    ...(sent !== undefined && { sent: count(sent) + count(more ?? '0') }),
    ...(most !== undefined && { most: count(most) }),
  };
}

const count = (digits: string): number => Number(digits.replaceAll(',', ''));

const WORDINGS: readonly RegExp[] = [
  // Anthropic (stackblitz/bolt.new#1748, continuedev/continue#6080, openclaw/openclaw#1618).
  /^prompt is too long(?:: (?<sent>[\d,]{1,15}) tokens > (?<most>[\d,]{1,15}) maximum)?/i,
  /^input length and `?max_tokens`? exceed context limit: (?<sent>[\d,]{1,15}) \+ (?<more>[\d,]{1,15}) > (?<most>[\d,]{1,15})/i,
  /^request size exceeds model context window/i,
  // Amazon Bedrock (repost.aws/knowledge-center/bedrock-validation-exception-errors).
  /^(?:the )?input is too long\b/i,
  // OpenAI, Azure, DeepSeek (evalstate/fast-agent#621), vLLM (earendil-works/pi#5929), OpenRouter (earendil-works/pi#6378),
  // xAI (cline/cline#3120).
  /^this (?:model|endpoint)'s maximum (?:context|prompt) length (?:has been exceeded|is (?<most>[\d,]{1,15}))(?:.{0,160}?(?:you requested(?: about)?|resulted in|request contains|for a total of(?: at least)?) (?<sent>[\d,]{1,15}) tokens)?/i,
  // OpenAI's newer models (cline/cline#5474), and its limit of characters in one message.
  /^(?:your )?input exceeds the context window of this model/i,
  /^input tokens exceed the configured limit of (?<most>[\d,]{1,15}) tokens(?:\. Your messages resulted in (?<sent>[\d,]{1,15}) tokens)?/i,
  /^invalid '(?:messages|input)[^']{0,60}': string too long\b/i,
  // vLLM, by version (vllm-project/vllm#20409, xorbitsai/inference#3785).
  /^'max_tokens' or 'max_completion_tokens' is too large: (?<sent>[\d,]{1,15})\. This model's maximum context length is (?<most>[\d,]{1,15}) tokens and your request has (?<more>[\d,]{1,15}) input tokens/i,
  /^you passed (?<sent>[\d,]{1,15}) input tokens(?: and requested (?<more>[\d,]{1,15}) output tokens)?\. However, the model's context length is only (?<most>[\d,]{1,15}) tokens/i,
  /^the (?:decoder |encoder )?prompt \(length (?<sent>[\d,]{1,15})\) is longer than the maximum model length of (?<most>[\d,]{1,15})/i,
  // SGLang and Together (ranxianglei/billion-context#493); LiteLLM and OpenRouter's providers (earendil-works/pi#4943, #5677).
  /^the input \((?<sent>[\d,]{1,15}) tokens\) is longer than the model's context length \((?<most>[\d,]{1,15}) tokens\)/i,
  /^requested token count exceeds the model's maximum context length of (?<most>[\d,]{1,15}) tokens(?:\. You requested a total of (?<sent>[\d,]{1,15}) tokens)?/i,
  /^input length \(?(?<sent>[\d,]{1,15})\)? exceeds (?:the )?(?:model's )?maximum (?:allowed input|context) length (?:of )?\(?(?<most>[\d,]{1,15})/i,
  // Together and Hugging Face's text-generation-inference (`validation.rs`).
  /^`inputs` tokens \+ `max_new_tokens` must be <= (?<most>[\d,]{1,15})\. Given: (?<sent>[\d,]{1,15}) `inputs` tokens and (?<more>[\d,]{1,15}) `max_new_tokens`/i,
  // Gemini (google-gemini/gemini-cli#4231).
  /^the input token count(?: \((?<sent>[\d,]{1,15})\))? exceeds the maximum number of tokens allowed \(?(?<most>[\d,]{1,15})/i,
  // Groq (OpenHands/OpenHands#1902), Cerebras (cline/cline#5140).
  /^please reduce the length of the messages or completion(?:\. Current length is (?<sent>[\d,]{1,15}) while limit is (?<most>[\d,]{1,15}))?/i,
  // One request over what a minute may have, of Groq (continuedev/continue#10218) and OpenAI: waiting does not help.
  /^request too large for .{1,200}? tokens per min(?:ute)? \(TPM\): Limit (?<most>[\d,]{1,15}), Requested (?<sent>[\d,]{1,15})/i,
  // llama.cpp (`tools/server/server-context.cpp`).
  /^(?:the )?request (?:\((?<sent>[\d,]{1,15}) tokens\) )?exceeds the available context size(?: \((?<most>[\d,]{1,15}) tokens\))?/i,
  // LM Studio.
  /^trying to keep the first (?<sent>[\d,]{1,15}) tokens when context the overflows\. However, the model is loaded with context length of only (?<most>[\d,]{1,15}) tokens/i,
  /^the number of tokens to keep from the initial prompt is greater than the context length/i,
  // Ollama, where it does not silently cut the prompt (docs.ollama.com/api/errors).
  /^prompt too long; exceeded (?:max )?context length/i,
  // Mistral.
  /^prompt contains (?<sent>[\d,]{1,15}) tokens.{0,60}? too large for model with (?<most>[\d,]{1,15}) maximum context length/i,
  // Fireworks (fw-ai/cookbook#134).
  /^the prompt is too long: (?<sent>[\d,]{1,15}), model maximum context length: (?<most>[\d,]{1,15})/i,
  // Cohere (cohere-ai/sandbox-topically#4).
  /^too many tokens: (?:size limit exceeded by|total number of tokens)(?:.{0,60}? cannot exceed (?<most>[\d,]{1,15}) - received (?<sent>[\d,]{1,15}))?/i,
  // Moonshot, MiniMax, DashScope (Qwen), Z.ai (tashfeenahmed/freellmapi#873).
  /^your request exceeded model token limit: (?<most>[\d,]{1,15})(?: \(requested: (?<sent>[\d,]{1,15})\))?/i,
  /^invalid params, context window exceeds limit/i,
  /^range of input length should be \[\d{1,9}, ?(?<most>[\d,]{1,15})\]/i,
  /^prompt exceeds max length/i,
];
