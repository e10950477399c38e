import type { Message } from '../../agent/ports.ts';

/** Gives each call of a reply an id of its own: the server's, or one made here, once, before the reply is kept (A7). */
export type CallIds = (given?: string) => string;

/**
 * Servers leave ids out, count them from 0 in every reply, or write them in ways that other servers refuse. An id
 * that is not new in this conversation, or not of letters, digits, - and _ (at most 40: OpenAI's own limit) is
 * replaced.
 */
export function callIds(messages: readonly Message[]): CallIds {
  const taken = new Set(
    messages.flatMap(({ content }) => content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))),
  );
  return (given) => {
    const usable = given !== undefined && /^[A-Za-z0-9_-]{1,40}$/.test(given) && !taken.has(given);
    const id = usable ? given : `call_${crypto.randomUUID().replaceAll('-', '')}`;
    taken.add(id);
    return id;
  };
}
