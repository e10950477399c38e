import { contentRules as chatContent } from './chat/content.ts';
import { fieldRules as chatFields } from './chat/fields.ts';
import type { GivenCalls } from './chat/given.ts';
import { idRules } from './chat/ids.ts';
import { orderRules as chatOrder } from './chat/order.ts';
import { returnedRules } from './chat/returned.ts';
import { toolRules as chatTools } from './chat/tools.ts';
import { contentRules as converseContent } from './converse/content.ts';
import { fieldRules as converseFields } from './converse/fields.ts';
import { contentRules as generateContent } from './generate/content.ts';
import { fieldRules as generateFields } from './generate/fields.ts';
import type { GivenSignatures } from './generate/given.ts';
import { signatureRules } from './generate/signatures.ts';
import { chatJsonRules, messagesJsonRules } from './json.ts';
import { cacheRules } from './messages/cache.ts';
import { contentRules } from './messages/content.ts';
import { fieldRules } from './messages/fields.ts';
import type { GivenBlocks } from './messages/given.ts';
import { orderRules } from './messages/order.ts';
import { serverToolRules } from './messages/server-tools.ts';
import { thinkingRules } from './messages/thinking.ts';
import { toolRules } from './messages/tools.ts';
import { contentRules as responsesContent } from './responses/content.ts';
import { fieldRules as responsesFields } from './responses/fields.ts';
import type { GivenItems } from './responses/given.ts';
import { orderRules as responsesOrder } from './responses/order.ts';
import { reasoningRules } from './responses/reasoning.ts';
import { toolRules as responsesTools } from './responses/tools.ts';
import { type Asked, apiOf, type Dialect, type Fault, type Fields, type Refusal, type Rule } from './rule.ts';

/** Rules of the Messages API, in the order in which they are checked: the form of a request before its content. */
export const messagesRules: readonly Rule<GivenBlocks>[] = [
  ...messagesJsonRules,
  ...fieldRules,
  ...toolRules,
  ...cacheRules,
  ...contentRules,
  ...orderRules,
  ...serverToolRules,
  ...thinkingRules,
];

/** Rules of Chat Completions. */
export const chatRules: readonly Rule<GivenCalls>[] = [
  ...chatJsonRules,
  ...chatFields,
  ...chatTools,
  ...chatContent,
  ...idRules,
  ...chatOrder,
  ...returnedRules,
];

/** Rules of the Responses API. */
export const responsesRules: readonly Rule<GivenItems>[] = [
  ...chatJsonRules,
  ...responsesFields,
  ...responsesTools,
  ...responsesContent,
  ...responsesOrder,
  ...reasoningRules,
];

/** Rules of Bedrock's Converse API. */
export const converseRules: readonly Rule<unknown>[] = [...converseFields, ...converseContent];

/** Rules of Gemini's API. */
export const generateRules: readonly Rule<GivenSignatures>[] = [
  ...generateFields,
  ...generateContent,
  ...signatureRules,
];

const rulesOf = {
  messages: messagesRules,
  chat: chatRules,
  responses: responsesRules,
  converse: converseRules,
  generate: generateRules,
} as const;

/**
 * Why the real server would refuse a request, in its own words and form; undefined if it would accept it.
 * @param body the parsed body
 * @param raw the body as it was sent
 * @param given the server's memory of its own replies; without it, rules that need it are skipped
 */
export function refusalOf(
  body: Fields,
  raw: string,
  dialect: Dialect,
  given?: GivenBlocks | GivenCalls | GivenItems | GivenSignatures,
): Refusal | undefined {
  const rules = rulesOf[apiOf(dialect)] as readonly Rule<unknown>[];
  return refusalBy(rules, { body, raw, dialect, given });
}

/** Why a request breaks one of these rules; undefined if it keeps them all. */
export function refusalBy(rules: readonly Rule<unknown>[], asked: Asked<unknown>): Refusal | undefined {
  const { dialect } = asked;
  for (const { name, only, check } of rules) {
    if (only && !only.includes(dialect)) continue;
    const fault = check(asked);
    if (fault !== undefined) return asRefusal(name, fault, dialect);
  }
  return undefined;
}

function asRefusal(rule: string, fault: Fault, dialect: Dialect): Refusal {
  const said = typeof fault === 'string' ? { message: fault } : fault;
  const { status = 400, message } = said;
  return { status, rule, message, body: bodyOf(dialect, { status, ...said }) };
}

type Said = Exclude<Fault, string> & { readonly status: number };

/** The body of an error, in each server's format. */
function bodyOf(dialect: Dialect, { status, message, type, code = null, param = null }: Said): unknown {
  switch (dialect) {
    case 'anthropic':
    case 'bedrock':
      return {
        type: 'error',
        error: { type: type ?? 'invalid_request_error', message },
        request_id: 'req_test',
      };
    case 'converse':
      return { message };
    case 'generate':
      return { error: { code: status, message, status: 'INVALID_ARGUMENT' } };
    case 'gemini':
      return [{ error: { code: status, message, status: 'INVALID_ARGUMENT' } }];
    case 'mistral':
      return { object: 'error', message, type: type ?? 'invalid_request_error', param, code };
    case 'openrouter': {
      const raw = JSON.stringify({ error: { message, type: type ?? 'invalid_request_error', param, code } });
      return {
        error: { message: 'Provider returned error', code: status, metadata: { raw, provider_name: 'Test' } },
      };
    }
    case 'vllm':
      return { error: { message, type: 'BadRequestError', param: null, code: status } };
    case 'openai':
    case 'responses':
    case 'azure':
    case 'kimi':
    case 'deepseek':
    case 'ollama':
      return { error: { message, type: type ?? 'invalid_request_error', param, code } };
    default:
      return dialect satisfies never;
  }
}
