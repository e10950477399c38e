import { isRecord } from '../../agent/plain/merge.ts';
import type { Message } from '../../agent/ports.ts';
import { isThinking } from '../../agent/session/reply.ts';

/**
 * The fields of a request without `thinking`, where it is turned on by hand (`type: 'enabled'`: models of 4.5 and before) and the
 * loop of tools that goes on has begun without: the API refuses that (`Expected thinking or redacted_thinking, but found
 * tool_use`), since a loop is one turn of the assistant, which has one configuration of thinking
 * (platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows). So it is where earlier thinking was left out, after a
 * fold or another model, until the loop has ended. Adaptive thinking knows no such rule.
 */
export function withFitThinking(
  fields: Readonly<Record<string, unknown>>,
  messages: readonly Message[],
): Readonly<Record<string, unknown>> {
  const { thinking, ...others } = fields;
  const isManual = isRecord(thinking) && thinking.type === 'enabled';
  return isManual && beganWithout(messages) ? others : fields;
}

/** Whether a loop of tools goes on of which the first reply does not begin with thinking. */
function beganWithout(messages: readonly Message[]): boolean {
  if (!hasResults(messages.at(-1))) return false;
  const before = messages.findLastIndex((message) => message.role === 'user' && !hasResults(message));
  const first = messages.slice(before + 1).find(({ role }) => role === 'assistant');
  const [block] = first?.content ?? [];
  return block !== undefined && !isThinking(block);
}

const hasResults = (message: Message | undefined): boolean =>
  message?.content.some(({ type }) => type === 'tool_result') ?? false;
