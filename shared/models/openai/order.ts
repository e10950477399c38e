import type { ServerRules } from '../dialects.ts';
import type { ChatMessage } from './chat.ts';

/** Says nothing that the model could take for its own words. Not empty: Mistral refuses a message with neither text nor calls. */
const BETWEEN: ChatMessage = { role: 'assistant', content: 'OK.' };

/** The messages in an order that the server takes. Only what follows a message decides on it, so earlier ones stay as they were. */
export function inOrder(messages: readonly ChatMessage[], rules: ServerRules): readonly ChatMessage[] {
  if (!rules.assistantAfterTool && !rules.alternate) return messages;
  const ordered: ChatMessage[] = [];
  for (const message of messages) {
    const before = ordered.at(-1);
    const joined = rules.alternate && before ? joinedWith(before, message) : undefined;
    if (joined) ordered[ordered.length - 1] = joined;
    else if (rules.assistantAfterTool && before?.role === 'tool' && message.role === 'user')
      ordered.push(BETWEEN, message);
    else ordered.push(message);
  }
  return ordered;
}

/** Two messages of one role as one; undefined where they are not, or where one has calls or more than text. */
function joinedWith(before: ChatMessage, after: ChatMessage): ChatMessage | undefined {
  if (before.role !== after.role || before.role === 'tool' || after.role === 'tool') return undefined;
  if ('tool_calls' in before || typeof before.content !== 'string' || typeof after.content !== 'string')
    return undefined;
  return { ...before, ...after, content: `${before.content}\n\n${after.content}` } as ChatMessage;
}
