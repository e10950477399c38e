import { jsonOf } from '../../agent/plain/once.ts';
import type { ModelRequest } from '../../agent/ports.ts';
import { bodyWith } from '../common/body.ts';
import { isStreamed } from '../common/provider.ts';
import { type ChatMessage, toChatMessages, toXmlMessages } from './messages.ts';
import { withTools } from './xml.ts';

/**
 * The body of a request, as JSON. Extra fields of the agent come first, so that they cannot replace ours, with three
 * exceptions: `stream: false`; `stream_options`, for servers that refuse it (`null` takes it out); and the limit of output
 * tokens under either of its names.
 */
export function toBody(request: ModelRequest, baseUrl: string, calls: 'native' | 'xml'): string {
  const { request: extra, model, tools, system, messages } = request;
  const xml = calls === 'xml';
  const prompt = xml ? withTools(system, tools) : system;
  const head: ChatMessage[] = prompt === '' ? [] : [{ role: 'system', content: prompt }];
  const limited = 'max_tokens' in extra || 'max_completion_tokens' in extra;
  const fields = {
    ...extra,
    model,
    ...(!limited && { [limitName(baseUrl)]: request.maxTokens }),
    stream: isStreamed(request),
    stream_options: isStreamed(request) ? streamOptions(extra) : undefined,
    tools: xml || tools.length === 0 ? undefined : tools.map(toFunction),
  };
  const history = xml ? toXmlMessages(messages) : toChatMessages(messages);
  return bodyWith(fields, [...head, ...history].map(jsonOf));
}

const streamOptions = (extra: ModelRequest['request']): unknown =>
  'stream_options' in extra ? (extra.stream_options ?? undefined) : { include_usage: true };

/**
 * OpenAI's reasoning models refuse `max_tokens` (openai/openai-python#2046); most other servers know nothing else,
 * and ignore what they do not know.
 */
function limitName(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  const isOpenAi = host === 'api.openai.com' || host.endsWith('.openai.azure.com');
  return isOpenAi ? 'max_completion_tokens' : 'max_tokens';
}

/** `$schema` is refused by some servers, and told nobody anything. */
function toFunction({
  name,
  description,
  input_schema: { $schema: _, ...parameters },
}: ModelRequest['tools'][number]) {
  return { type: 'function', function: { name, description, parameters } };
}
