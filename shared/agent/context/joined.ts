import type { Message } from '../ports/provider.ts';
import type { Block } from '../session/slots.ts';

/** Blocks that come from one place: a batch's results, an input, a reply. */
export type Part = readonly Block[];

/** By its first part: a message and the parts that it was made of. */
const known = new WeakMap<Part, { readonly message: Message; readonly parts: readonly Part[] }>();

/**
 * The message of these parts, none of which is empty. The same parts give the same object, like `once` for a single value. Among
 * messages that begin with the same part only the last one is kept: the end of a conversation, which grows, and then becomes
 * history.
 */
export function joined(role: Message['role'], parts: readonly [Part, ...Part[]]): Message {
  const [first] = parts;
  const found = known.get(first);
  if (found?.message.role === role && isSame(found.parts, parts)) return found.message;
  const message = { role, content: parts.length === 1 ? first : parts.flat() };
  known.set(first, { message, parts });
  return message;
}

const isSame = (a: readonly Part[], b: readonly Part[]): boolean =>
  a.length === b.length && a.every((part, at) => part === b[at]);
