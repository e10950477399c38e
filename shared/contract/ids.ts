/**
 * The id of the session that belongs to an outside key, for instance `github:owner/repo#12`:
 * the same key always leads to the same session.
 */
export async function sessionIdFor(key: string): Promise<string> {
  return `s${(await sha256(key)).slice(0, 24)}`;
}

/** The id of the event that brought a message with this Idempotency-Key. Its message is shown as `user-` and this. */
export const eventIdFor = async (idempotencyKey: string): Promise<string> =>
  `key-${(await sha256(idempotencyKey)).slice(0, 32)}`;

/** In hex. */
async function sha256(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
