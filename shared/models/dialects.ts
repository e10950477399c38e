import type { DialectName } from '../agent/config/model.ts';
import { facts, type Rule } from './facts.ts';
import { type ServerRules, unknownServer } from './server-rules.ts';

export type { ServerRules } from './server-rules.ts';

/** The rules that are on for each dialect. docs/reference/dialects.md is generated from it. */
export const dialects: Readonly<Record<DialectName, readonly Rule[]>> = {
  anthropic: [],
  bedrock: [],
  openai: ['max_completion_tokens', 'tools_128', 'description_1024', 'array_items', 'no_reasoning'],
  azure: ['max_completion_tokens', 'tools_128', 'description_1024', 'array_items', 'no_reasoning'],
  gemini: ['array_items', 'thought_signatures', 'user_after_assistant'],
  mistral: ['call_ids_nine', 'assistant_after_tool', 'user_after_assistant', 'no_stream_options'],
  kimi: ['call_ids_functions', 'reasoning_needed'],
  deepseek: ['tools_128', 'reasoning_needed'],
  openrouter: [],
  vllm: [],
  ollama: [],
  compatible: [],
};

/** Hosts that certainly speak a dialect. A port or a path proves nothing, except Ollama's, which has a port of its own. */
const HOSTS: readonly (readonly [RegExp, DialectName])[] = [
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^bedrock-(?:runtime|mantle)\.[\w-]+\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/, 'bedrock'],
  [/^(?:\w+\.)?api\.openai\.com$/, 'openai'],
  [/\.(?:openai\.azure\.(?:com|us|cn)|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/, 'azure'],
  [/^(?:generativelanguage|(?:[\w-]+-)?aiplatform)\.googleapis\.com$/, 'gemini'],
  [/^(?:api|codestral)\.mistral\.ai$/, 'mistral'],
  [/^api\.(?:moonshot\.(?:ai|cn)|kimi\.com)$/, 'kimi'],
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^openrouter\.ai$/, 'openrouter'],
];
const OLLAMA_PORT = '11434';

/**
 * Models that need the same rules wherever they run, by name: a gateway passes on the refusal of the server behind it
 * (charmbracelet/crush#279), and the chat templates that come with the weights refuse it too.
 */
const MODELS: readonly (readonly [RegExp, readonly Rule[]])[] = [
  [
    /^(?:mistral|ministral|mixtral|devstral|codestral|magistral|pixtral|voxtral)/,
    ['call_ids_nine', 'assistant_after_tool', 'user_after_assistant'],
  ],
  [/^kimi-/, ['call_ids_functions']],
];

/** Google's models before Gemini 3 check no signatures. */
const UNSIGNED = /^gemini-[12]\b/;

/** The server that is asked, and what is known about it. */
export interface AskedServer {
  readonly provider: string;
  readonly baseUrl: string;
  readonly model: string;
  /** Set by the agent: then the address and the model's name are not considered. */
  readonly dialect?: DialectName | undefined;
  /** Rules that were switched on because the server refused a request without them. */
  readonly learned?: readonly string[] | undefined;
}

/** The dialect of a server: the one the agent names, else the one its address implies, else the default of its API. */
export function dialectOf({ provider, baseUrl, dialect }: Omit<AskedServer, 'model'>): DialectName {
  if (dialect) return dialect;
  const { hostname, port } = URL.parse(baseUrl) ?? { hostname: '', port: '' };
  const known = HOSTS.find(([host]) => host.test(hostname))?.[1];
  if (known) return known;
  if (port === OLLAMA_PORT) return 'ollama';
  return provider === 'anthropic' ? 'anthropic' : 'compatible';
}

const made = new Map<string, ServerRules>();

/** The rules of a server. The same rules give the same object, so that results can be cached by it. */
export function rulesOf(asked: AskedServer): ServerRules {
  const on = new Set(rulesOn(asked));
  const name = [...on].join();
  const known = made.get(name);
  if (known) return known;
  const rules: ServerRules = Object.assign({}, unknownServer, ...[...on].map((rule) => facts[rule].sets));
  made.set(name, rules);
  return rules;
}

/** The rules that are on for a server. Learned ones come last, since a refusal is better evidence than a table. */
function rulesOn(asked: AskedServer): readonly Rule[] {
  const dialect = dialectOf(asked);
  const ofModel = asked.dialect || !GATEWAYS.has(dialect) ? [] : rulesOfModel(asked.model);
  const isSigned = !UNSIGNED.test(bareName(asked.model));
  const ofDialect = dialects[dialect].filter((rule) => isSigned || rule !== 'thought_signatures');
  return [...ofDialect, ...ofModel, ...(asked.learned ?? []).filter(isRule)];
}

/** Dialects for which the model's name says more than the address. */
const GATEWAYS: ReadonlySet<DialectName> = new Set(['openrouter', 'vllm', 'ollama', 'compatible']);

const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1).toLowerCase();

function rulesOfModel(model: string): readonly Rule[] {
  const name = bareName(model);
  return MODELS.find(([pattern]) => pattern.test(name))?.[1] ?? [];
}

/** Whether a stored name is the name of a rule: a later version may have stored others. */
export const isRule = (name: string): name is Rule => Object.hasOwn(facts, name);
