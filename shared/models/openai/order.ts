import type { ServerRules } from '../dialects.ts';
import type { ChatMessage } from './chat.ts';

/**
 * Says nothing that the model could mistake for its own words. Not empty: Mistral refuses a message with neither text
 * nor calls.
 */
const BETWEEN: ChatMessage = { role: 'assistant', content: 'OK.' };

/** Lets the model continue a reply that another one paused. */
const GO_ON: ChatMessage = { role: 'user', content: 'Go on.' };

/**
 * The messages in an order that the server takes. Only what follows a message decides on it, so earlier ones stay as
 * they were.
 */
export function inOrder(messages: readonly ChatMessage[], rules: ServerRules): readonly ChatMessage[] {
  const spoken = rules.userAfterAssistant ? withUsers(messages) : messages;
  return rules.assistantAfterTool || rules.alternate ? alternating(spoken, rules) : spoken;
}

/**
 * Adds a user message after each reply without calls that has none. The result is the same whether the reply is the
 * last message or not.
 */
const withUsers = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.flatMap((message, at) => {
    const isOpen = message.role === 'assistant' && !('tool_calls' in message);
    return isOpen && messages[at + 1]?.role !== 'user' ? [message, GO_ON] : [message];
  });

function alternating(messages: readonly ChatMessage[], rules: ServerRules): readonly ChatMessage[] {
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

/** Two messages of one role as one; undefined if their roles differ, or if one has calls or more than text. */
function joinedWith(before: ChatMessage, after: ChatMessage): ChatMessage | undefined {
  if (before.role !== after.role || before.role === 'tool' || after.role === 'tool') return undefined;
  if ('tool_calls' in before || typeof before.content !== 'string' || typeof after.content !== 'string')
    return undefined;
  return { ...before, ...after, content: `${before.content}\n\n${after.content}` } as ChatMessage;
}
