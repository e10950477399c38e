import { hash } from '../../agent/plain/hash.ts';
import type { Message } from '../../agent/ports/provider.ts';

/** Gives each call of a reply an id of its own, once, before the reply is saved: the server's, or one derived from it. */
export type CallIds = (given?: string) => string;

/**
 * Servers leave ids out, count them from 0 in every reply, or write them in ways that other servers refuse; and ids
 * become a part of keys. An id is replaced if it is not new in this conversation, or not of letters, digits, - and _
 * (at most 40: OpenAI's own limit). The replacement is a hash of the id and its position, so that the same reply always
 * has the same ids. `__proto__` is replaced too, because maps lose it as a key.
 */
export function callIds(messages: readonly Message[]): CallIds {
  const given = new Set<string>();
  return (wanted = '') => {
    const usable = /^(?!__proto__$)[A-Za-z0-9_-]{1,40}$/.test(wanted);
    const isNew = usable && !given.has(wanted) && !messages.some((message) => hasCall(message, wanted));
    const id = isNew ? wanted : `call_${hash(`${messages.length}.${given.size}.${wanted}`, 24)}`;
    given.add(id);
    return id;
  };
}

const hasCall = ({ content }: Message, wanted: string): boolean =>
  content.some(({ type, id }) => type === 'tool_use' && id === wanted);

/**
 * A tool's name in a form that every server takes back. A name that belonged to no tool before belongs to none
 * afterwards. Text after a token of the model's template is not part of the name: vLLM passes on
 * `get_weather<|channel|>commentary`. Nor is the number of Kimi's ids, `functions.get_weather:0`.
 */
export const callName = (given = ''): string =>
  (given.split(TOKEN).find((part) => part.trim() !== '') ?? '')
    .trim()
    .replace(/:\d+$/, '')
    .replace(/[^A-Za-z0-9_-]/g, '_')
    .slice(0, 64) || 'unnamed';

/** Tokens of Harmony and ChatML (`<|…|>`), and those of DeepSeek (full-width bars). */
const TOKEN = /<[|｜][^<>]*>?/;
