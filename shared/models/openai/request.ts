import { jsonOf } from '../../agent/plain/memoize.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import { bodyWith } from '../common/body.ts';
import { isStreamed } from '../common/provider.ts';
import { rulesOf, type ServerRules } from '../dialects.ts';
import type { ChatMessage } from './chat.ts';
import { toChatMessages, toXmlMessages } from './messages.ts';
import { toChatTools } from './tools.ts';
import { withTools } from './xml.ts';

/**
 * The body of a request, as JSON. The agent's extra fields come first, so that they cannot replace ours, with three
 * exceptions: `stream: false`; `stream_options`, for servers that refuse it (`null` removes it); and the limit of
 * output tokens under either of its names.
 */
export function toBody(request: ModelRequest, baseUrl: string, calls: 'native' | 'xml'): string {
  const { request: extra, model, tools, system, messages } = request;
  const xml = calls === 'xml';
  const { provider, dialect, serverRules: learned } = request;
  const rules = rulesOf({ provider, baseUrl, model, dialect, learned });
  const prompt = xml ? withTools(system, tools) : system;
  const head: ChatMessage[] = prompt === '' ? [] : [{ role: 'system', content: prompt }];
  const limited = 'max_tokens' in extra || 'max_completion_tokens' in extra;
  const fields = {
    ...extra,
    model,
    ...(!limited && { [rules.outputLimit]: request.maxTokens }),
    stream: isStreamed(request),
    stream_options: isStreamed(request) ? streamOptions(extra, rules) : undefined,
    tools: xml ? undefined : toolsOf(request, rules),
  };
  const history = xml ? toXmlMessages(messages) : toChatMessages(messages, rules);
  return bodyWith(fields, [...head, ...history].map(jsonOf));
}

function streamOptions(extra: ModelRequest['request'], rules: ServerRules): unknown {
  if ('stream_options' in extra) return extra.stream_options ?? undefined;
  return rules.streamOptions ? { include_usage: true } : undefined;
}

/** The tools that the server runs, as it names them (openrouter.ai/docs/guides/features/server-tools), then the agent's own. */
function toolsOf(
  { serverTools = [], tools }: ModelRequest,
  rules: ServerRules,
): readonly object[] | undefined {
  const own = toChatTools(tools, rules);
  return serverTools.length > 0 ? [...serverTools, ...(own ?? [])] : own;
}
