import { isRecord } from '../../agent/plain/merge.ts';
import type { Message } from '../../agent/ports/provider.ts';
import { isThinking } from '../../agent/session/reply.ts';

/**
 * Removes `thinking` from the fields of a request if it is turned on by hand (`type: 'enabled'`: models of 4.5 and
 * before) and the current tool loop began without it. The API refuses such a request
 * (`Expected thinking or redacted_thinking, but found tool_use`), since a loop is one turn of the assistant, which has
 * one configuration of thinking (platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows). The case
 * arises when earlier thinking was left out, after a compaction or another model, and lasts until the loop has ended.
 * Adaptive thinking has no such rule.
 */
export function withFitThinking(
  fields: Readonly<Record<string, unknown>>,
  messages: readonly Message[],
): Readonly<Record<string, unknown>> {
  const { thinking, ...others } = fields;
  const isManual = isRecord(thinking) && thinking.type === 'enabled';
  return isManual && beganWithout(messages) ? others : fields;
}

/** Whether a tool loop is under way whose first reply does not begin with thinking. */
function beganWithout(messages: readonly Message[]): boolean {
  if (!hasResults(messages.at(-1))) return false;
  const before = messages.findLastIndex((message) => message.role === 'user' && !hasResults(message));
  const first = messages.slice(before + 1).find(({ role }) => role === 'assistant');
  const [block] = first?.content ?? [];
  return block !== undefined && !isThinking(block);
}

const hasResults = (message: Message | undefined): boolean =>
  message?.content.some(({ type }) => type === 'tool_result') ?? false;
