import { jsonOf, memoize } from '../../agent/plain/memoize.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import { bodyWith } from '../common/body.ts';
import { isStreamed } from '../common/provider.ts';
import { rulesOf, type ServerRules } from '../dialects.ts';
import { toChatTools } from '../openai/tools.ts';
import { toInput } from './input.ts';

/**
 * The body of a request, as JSON. The agent's extra fields come first, so that they cannot replace ours, except
 * `stream: false` and more of `include`.
 *
 * Nothing is stored on the server: a session lives in one place, and its reasoning comes and goes in encrypted form
 * (developers.openai.com/api/docs/guides/reasoning, "Encrypted reasoning items").
 */
export function toBody(request: ModelRequest, baseUrl: string): string {
  const { request: extra, model, system, messages, maxTokens } = request;
  const { provider, dialect, serverRules: learned } = request;
  const rules = rulesOf({ provider, baseUrl, model, dialect, learned });
  const fields = {
    ...extra,
    model,
    store: false,
    instructions: system === '' ? undefined : system,
    max_output_tokens: Math.max(maxTokens, LEAST_TOKENS),
    stream: isStreamed(request),
    include: included(extra.include, rules),
    tools: toolsOf(request, rules),
  };
  return bodyWith(fields, toInput(messages, rules).map(jsonOf), 'input');
}

/** The server refuses a lower limit (vectorize-io/hindsight#58). */
const LEAST_TOKENS = 16;

function included(own: unknown, { encryptedReasoning }: ServerRules): readonly unknown[] | undefined {
  const asked = Array.isArray(own) ? own : [];
  const all = new Set(encryptedReasoning ? [...asked, 'reasoning.encrypted_content'] : asked);
  return all.size > 0 ? [...all] : undefined;
}

/** The tools that the server runs, as it names them, then the agent's own. */
function toolsOf(
  { serverTools = [], tools }: ModelRequest,
  rules: ServerRules,
): readonly object[] | undefined {
  const own = toChatTools(tools, rules)?.map(flat) ?? [];
  const all = [...serverTools, ...own];
  return all.length > 0 ? all : undefined;
}

/**
 * A tool without the level that Chat Completions puts its function in. Here a tool is strict unless it says otherwise, and
 * then optional properties are always filled (open-webui/open-webui#30046).
 */
const flat = memoize((tool: NonNullable<ReturnType<typeof toChatTools>>[number]): object => ({
  type: tool.type,
  ...tool.function,
  strict: false,
}));
