import type * as z from 'zod';
import type { Model } from '../config/model.ts';
import { isRecord, own } from '../plain/merge.ts';

type OneModel = z.output<typeof Model>['fallbacks'][number];

const LIMIT = 'say `maxTokens`';
const SYSTEM = 'say `system` of the agent';
const WHOLE = 'each request has the whole conversation';

/** Paths of fields that the agent determines, for providers that set fields inside of others, and where an agent sets them. */
const OURS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'bedrock-converse': {
    'inferenceConfig.maxTokens': LIMIT,
    'toolConfig.tools': 'declare `tools` of the agent',
  },
  gemini: {
    contents: 'it is the conversation',
    systemInstruction: SYSTEM,
    system_instruction: SYSTEM,
    cachedContent: WHOLE,
    'generationConfig.maxOutputTokens': LIMIT,
    'toolConfig.functionCallingConfig.streamFunctionCallArguments': 'calls come whole',
  },
};

/** Settings of one model that its provider would ignore: one sentence each. */
export const wrongForProvider = (place: string, model: OneModel): string[] => [
  ...wrongFields(place, model),
  ...wrongServerTools(place, model),
];

const wrongFields = (place: string, { provider, request }: OneModel): string[] =>
  Object.entries(own(OURS, provider) ?? {})
    .filter(([path]) => hasAt(request, path.split('.')))
    .map(([path, instead]) => `${place}.request.${path} is set by the agent itself: ${instead}`);

function hasAt(value: unknown, [key, ...deeper]: readonly string[]): boolean {
  if (key === undefined) return true;
  return isRecord(value) && Object.hasOwn(value, key) && hasAt(own(value, key), deeper);
}

const WITHOUT_SERVER_TOOLS: ReadonlySet<string> = new Set(['bedrock-converse', 'gemini']);

const wrongServerTools = (place: string, { provider, serverTools = [] }: OneModel): string[] =>
  serverTools.length > 0 && WITHOUT_SERVER_TOOLS.has(provider)
    ? [
        `${place}.serverTools: the provider ${provider} sends no tools that the server runs: leave them out, and declare \`tools\` of the agent in their place`,
      ]
    : [];
