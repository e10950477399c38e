import { isTooDeep } from '../../agent/plain/depth.ts';
import { isObject, type Json } from '../common/json.ts';

/**
 * Most characters of JSON that are kept of all unknown fields of one reply: encrypted reasoning may be tens of
 * thousands long.
 */
export const MAX_KEPT_CHARS = 250_000;

/** Fields of a message that are read here, or that no server wants back. */
export const OF_MESSAGE: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'reasoning_content', 'reasoning'],
  ...['annotations', 'audio', 'images', 'name', 'logprobs', 'token_ids', 'prefix'],
]);

/** The fields of a message or a call that are not in `known` and are not empty. */
export function unknownIn(given: Json, known: ReadonlySet<string>): Json {
  const kept = Object.entries(given).filter(
    ([key, value]) =>
      !known.has(key) && key !== '__proto__' && value !== null && value !== '' && !isTooDeep(value),
  );
  return kept.length > 0 ? Object.fromEntries(kept) : nothing;
}

const nothing: Json = {};

/**
 * Merges fields with those of a later piece: lists are joined, objects merged, and anything else is replaced.
 *
 * @param texts how texts are merged: those of a message come in pieces, those of a call are whole
 */
export function joinFields(before: Json, piece: Json, texts: 'append' | 'replace' = 'replace'): Json {
  if (piece === nothing) return before;
  const joined = Object.entries(piece).map(([key, value]): [string, unknown] => {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (Array.isArray(value)) return [key, value.reduce<unknown[]>(withEntry, Array.isArray(was) ? was : [])];
    if (isObject(was) && isObject(value)) return [key, joinFields(was, value)];
    const grows = texts === 'append' && typeof was === 'string' && typeof value === 'string';
    return [key, grows ? was + value : value];
  });
  return { ...before, ...Object.fromEntries(joined) };
}

/** The texts that grow in an entry of OpenRouter's `reasoning_details`. */
const GROWING = ['text', 'summary'] as const;

/**
 * Adds an entry to a list. OpenRouter streams one entry of `reasoning_details` in many: entries of the same kind in a
 * row are one, until a signature ends it. `index` is of no use in a stream, where every entry has 0
 * (OpenRouterTeam/ai-sdk-provider#520), but two different indexes are two entries. Encrypted entries come whole.
 */
function withEntry(list: unknown[], piece: unknown): unknown[] {
  const last = list.at(-1);
  if (!isObject(last) || !isObject(piece) || !isOne(last, piece)) return [...list, piece];
  const grown = GROWING.flatMap((key) =>
    typeof piece[key] === 'string' ? [[key, `${last[key] ?? ''}${piece[key]}`]] : [],
  );
  const said = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  return [...list.slice(0, -1), { ...last, ...Object.fromEntries(said), ...Object.fromEntries(grown) }];
}

function isOne(last: Json, piece: Json): boolean {
  const grows = GROWING.some((key) => typeof last[key] === 'string' || typeof piece[key] === 'string');
  const isSigned = typeof last.signature === 'string' && GROWING.some((key) => Boolean(piece[key]));
  return (
    grows &&
    !isSigned &&
    typeof piece.type === 'string' &&
    last.type === piece.type &&
    last.index === piece.index &&
    (!last.id || !piece.id || last.id === piece.id)
  );
}
