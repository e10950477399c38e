import { jsonOf, memoize } from '../../agent/plain/memoize.ts';
import { isRecord } from '../../agent/plain/merge.ts';
import type { Message, ModelRequest } from '../../agent/ports/provider.ts';
import type { PinnedTool } from '../../agent/session/pinned.ts';
import { bodyWith } from '../common/body.ts';
import { cachedParts, markedMessages, markOf } from './cache.ts';
import { toMessages } from './messages.ts';

/**
 * The body of a request, as JSON. The agent's extra fields come first, so that they cannot replace ours:
 * `additionalModelRequestFields` has what only its model takes, such as `thinking`.
 */
export function toBody(request: ModelRequest): string {
  const { stream: _, ...extra } = request.request;
  const { model, messages, system, maxTokens } = request;
  const lifetimes = cachedParts(model, request.cache);
  const tools = toolsOf(request);
  const fields = {
    ...extra,
    inferenceConfig: { ...recordOf(extra.inferenceConfig), maxTokens },
    system: system.trim() === '' ? undefined : [{ text: system }, ...markOf(lifetimes.system)],
    toolConfig:
      tools.length === 0
        ? undefined
        : { ...recordOf(extra.toolConfig), tools: [...tools, ...markOf(lifetimes.tools)] },
  };
  const sent = toMessages(messages, READS_STATUS.test(model));
  return bodyWith(fields, markedMessages(sent, lifetimes.messages).map(jsonOf));
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** Models that take the `status` of a result (API_runtime_ToolResultBlock of the reference). */
const READS_STATUS = /(?:^|[./])(?:anthropic\.claude|amazon\.nova)/;

/**
 * The tools. Without any, those that the history has called are declared, because Bedrock refuses calls and results in a
 * request without tools (vxcontrol/pentagi#196).
 */
function toolsOf({ tools, messages }: ModelRequest): readonly object[] {
  return tools.length > 0 ? tools.map(specOf) : calledIn(messages).map(noMore);
}

const specOf = memoize(
  ({ name, description, input_schema: { $schema: _, ...json } }: PinnedTool): object => ({
    toolSpec: { name, ...(description.trim() !== '' && { description }), inputSchema: { json } },
  }),
);

const calledIn = (messages: readonly Message[]): readonly string[] => [
  ...new Set(
    messages.flatMap(({ content }) =>
      content.flatMap(({ type, name }) => (type === 'tool_use' ? [String(name)] : [])),
    ),
  ),
];

const noMore = (name: string): object => ({
  toolSpec: {
    name,
    description: 'Not available any more.',
    inputSchema: { json: { type: 'object', properties: {} } },
  },
});
