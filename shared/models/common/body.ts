/** What goes with a body that is JSON already: the SDKs send a text as it is when its kind is said, and write out anything else. */
export const jsonBody = { 'content-type': 'application/json' } as const;

/**
 * A body as JSON, its messages joined of what was written out before: an old message costs a request its bytes and nothing
 * more.
 *
 * @param fields all others, one at least; what is undefined is left out
 * @param messages each as JSON
 */
export function bodyWith(fields: Readonly<Record<string, unknown>>, messages: readonly string[]): string {
  const others = JSON.stringify({ ...fields, messages: undefined });
  return `${others.slice(0, -1)},"messages":[${messages.join(',')}]}`;
}
