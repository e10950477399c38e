import type { SnapshotMessage } from '../contract/events.ts';

/** The agent's last text after the person's last message. */
export function lastSaid(messages: readonly SnapshotMessage[]): string | undefined {
  const from = messages.findLastIndex(({ role }) => role === 'user');
  const said = messages
    .slice(from + 1)
    .findLast((message) => message.role === 'assistant' && message.content);
  return said?.role === 'assistant' ? said.content : undefined;
}
