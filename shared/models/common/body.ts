/**
 * Header for a body that is JSON already: the SDKs send a string as it is when its content type is set, and serialize
 * anything else.
 */
export const jsonBody = { 'content-type': 'application/json' } as const;

/**
 * A body as JSON, with messages that were serialized before: an old message costs a request its bytes and nothing more.
 *
 * @param fields all others, at least one; undefined ones are left out
 * @param messages each as JSON
 * @param key the field of the messages
 */
export function bodyWith(
  fields: Readonly<Record<string, unknown>>,
  messages: readonly string[],
  key: 'messages' | 'input' = 'messages',
): string {
  const others = JSON.stringify({ ...fields, [key]: undefined });
  return `${others.slice(0, -1)},"${key}":[${messages.join(',')}]}`;
}
