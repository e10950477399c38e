import * as z from 'zod';
import { builtInProviders, type Model } from '../config/model.ts';
import { isRunByAgent } from '../config/server-tools.ts';
import { isRecord, own } from '../plain/merge.ts';
import { lifetimesOf } from '../session/cache.ts';
import { wrongForProvider } from './check-provider.ts';

type OneModel = z.output<typeof Model>['fallbacks'][number];

interface ModelSettings {
  readonly model: z.output<typeof Model>;
  readonly tools: readonly { readonly name: string }[];
}

/** Settings of an agent's models that would be ignored, refused by their servers, or stored in plain text: one sentence each. */
export function wrongModels({
  model: { fallbacks, summarizer, judge, ...own },
  tools,
}: ModelSettings): string[] {
  const models: (readonly [string, OneModel])[] = [
    ['model', own],
    ...fallbacks.map((one, i) => [`model.fallbacks[${i}]`, one] as const),
    ...(summarizer ? [['model.summarizer', summarizer] as const] : []),
    ...(judge ? [['model.judge', judge] as const] : []),
  ];
  return models.flatMap(([place, one]) => [
    ...wrongApi(place, one),
    ...wrongRequest(place, one),
    ...wrongForProvider(place, one),
    ...wrongCache(place, one),
    ...wrongServerTools(place, one, tools),
    ...secretsIn(place, one),
  ]);
}

/** Fields of a request that the agent determines, and where an agent sets them. */
const OURS: Readonly<Record<string, string>> = {
  model: 'say `name`',
  messages: 'they are the conversation',
  tools: 'declare `tools` of the agent, and tools that the server runs as `serverTools`',
  system: 'say `system` of the agent',
};

const WHOLE = 'each request has the whole conversation, and nothing is stored';

/** Fields that only one API has. */
const OURS_BY_API: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anthropic: { max_tokens: 'say `maxTokens`' },
  'openai-responses': {
    input: 'it is the conversation',
    instructions: 'say `system` of the agent',
    max_output_tokens: 'say `maxTokens`',
    previous_response_id: WHOLE,
    conversation: WHOLE,
    store: WHOLE,
  },
};

/** Servers that have no Responses API. */
const WITHOUT_RESPONSES = /^(?:anthropic|gemini|mistral|kimi|deepseek)$/;

const wrongApi = (place: string, { provider, dialect }: OneModel): string[] =>
  provider === 'openai-responses' && dialect && WITHOUT_RESPONSES.test(dialect)
    ? [`${place}: a server of the dialect ${dialect} has no Responses API: choose another provider`]
    : [];

function wrongRequest(place: string, { provider, request }: OneModel): string[] {
  if (!builtInProviders.some((known) => known === provider)) return [];
  const ours = { ...OURS, ...own(OURS_BY_API, provider) };
  return Object.entries(ours)
    .filter(([key]) => Object.hasOwn(request, key))
    .map(([key, instead]) => `${place}.request.${key} is set by the agent itself: ${instead}`);
}

function wrongCache(place: string, { cache, request }: OneModel): string[] {
  if (cache === undefined) return [];
  if ('cache_control' in request)
    return [`${place}.request.cache_control replaces the marks of ${place}.cache: set only one of them`];
  const { tools, system, messages } = lifetimesOf(cache);
  const marked = [
    ['tools', tools],
    ['system', system],
    ['messages', messages],
  ] as const;
  const short = marked.find(([, lifetime]) => lifetime === '5m');
  const after = short && marked.slice(marked.indexOf(short)).find(([, lifetime]) => lifetime === '1h');
  return after
    ? [
        `${place}.cache keeps ${after[0]} for an hour behind ${short[0]} for five minutes: a server takes the longer lifetime first, so keep ${short[0]} for '1h' too, or leave it unmarked with false`,
      ]
    : [];
}

function wrongServerTools(
  place: string,
  { provider, dialect, serverTools = [] }: OneModel,
  tools: ModelSettings['tools'],
): string[] {
  const at = `${place}.serverTools`;
  if (serverTools.length > 0 && provider === 'openai-xml')
    return [`${at}: a model whose calls are text cannot use server tools`];
  // Other servers refuse a tool that is not a function. There, a search has a field of its own.
  if (serverTools.length > 0 && provider === 'openai' && dialect !== 'openrouter')
    return [
      `${at}: Chat Completions takes no tools that the server runs: set \`web_search_options\` in \`request\` for a search, or set \`dialect: 'openrouter'\` if the server is OpenRouter`,
    ];
  return serverTools.flatMap((tool, i) => {
    const here = `${at}[${i}]`;
    const { type, name } = tool;
    const called = name ?? tool.mcp_server_name;
    if (provider === 'anthropic' && typeof called !== 'string')
      return [`${here}: ${type} needs a \`name\`, as its server declares it`];
    if (!z.json().safeParse(tool).success) return [`${here} must be JSON: it is stored and sent`];
    if ('cache_control' in tool)
      return [`${here}.cache_control: set \`cache\` of the model instead, which marks all tools`];
    if (type === 'custom' || type === 'function')
      return [`${here}: a tool of type ${type} is run by the agent: declare it with defineTool`];
    if (serverTools.findIndex((one) => one.name !== undefined && one.name === name) < i && name !== undefined)
      return [`${here}: two server tools are named ${name}`];
    const own = tools.some((one) => one.name === name);
    if (isRunByAgent(tool))
      return own
        ? []
        : [`${here}: the model calls ${name} and the agent runs it: declare a tool of that name`];
    return own
      ? [`${here}: the agent has a tool named ${name} too, and the model could not tell them apart`]
      : [];
  });
}

/** Names of fields with secret values. A definition is stored with a session and shown to operators, so it must not hold them. */
const SECRET = /^(?:authorization_token|authorization|api_?key|access_token|token|password|secret)$/i;

function secretsIn(place: string, { request, serverTools = [] }: OneModel): string[] {
  const found = (value: unknown, path: string): string[] => {
    if (Array.isArray(value)) return value.flatMap((one, i) => found(one, `${path}[${i}]`));
    if (!isRecord(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === 'string' && SECRET.test(key) ? [`${path}.${key}`] : found(inner, `${path}.${key}`),
    );
  };
  const { mcp_servers: servers } = request;
  return [
    ...found(servers, `${place}.request.mcp_servers`),
    ...found(serverTools, `${place}.serverTools`),
  ].map(
    (path) =>
      `${path} would be stored in plain text with every session: connect that server with mcpServer() instead, which takes its token from a secret`,
  );
}
