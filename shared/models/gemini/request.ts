import { jsonOf, memoize } from '../../agent/plain/memoize.ts';
import { isRecord } from '../../agent/plain/merge.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import type { PinnedTool } from '../../agent/session/pinned.ts';
import { RequestFault } from '../common/failure.ts';
import { toContents } from './messages.ts';
import { withoutReferences } from './schema.ts';

/** Most declarations that the API takes (google-gemini/gemini-cli#19083). */
const MOST_TOOLS = 512;

/**
 * The body of a request, as JSON. The agent's extra fields come first, so that they cannot replace ours; its
 * `generationConfig` is joined with the limit of output tokens.
 *
 * @throws RequestFault if there are more tools than the API takes
 */
export function toBody(request: ModelRequest): string {
  const { stream: _, contents: _ours, ...extra } = request.request;
  const { system, tools, messages, model, maxTokens } = request;
  if (tools.length > MOST_TOOLS)
    throw new RequestFault(
      'too_many_tools',
      `Gemini's API takes at most ${MOST_TOOLS} tools, and the agent has ${tools.length}. List fewer.`,
    );
  const fields = JSON.stringify({
    ...extra,
    systemInstruction: system.trim() === '' ? undefined : { parts: [{ text: system }] },
    generationConfig: { ...recordOf(extra.generationConfig), maxOutputTokens: maxTokens },
    tools: tools.length === 0 ? undefined : [{ functionDeclarations: tools.map(declarationOf) }],
  });
  return `${fields.slice(0, -1)},"contents":[${toContents(messages, model).map(jsonOf).join(',')}]}`;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** A function without parameters has no schema (ai.google.dev/api/caching#FunctionDeclaration). */
const declarationOf = memoize(({ name, description, input_schema: schema }: PinnedTool): object => ({
  name,
  description,
  ...(Object.keys(recordOf(schema.properties)).length > 0 && {
    parametersJsonSchema: withoutReferences(schema),
  }),
}));
