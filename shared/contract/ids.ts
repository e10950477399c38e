/** The origin of a session's id. Keys of one origin never meet those of another. */
export type Origin = 'http' | 'agui' | 'hook' | 'slack' | 'channel' | 'fork' | 'import';

/**
 * The id of the session for a key of the origin, for instance a webhook's `github:owner/repo#12`: the same key always
 * leads to the same session.
 */
export async function sessionIdFor(origin: Origin, key: string): Promise<string> {
  return `s${(await sha256(`${origin}:${key}`)).slice(0, 24)}`;
}

/**
 * Whether an id has the form that only {@link sessionIdFor} gives. A caller that may name its new session must not use
 * this form: the id for an issue's webhook or a Slack thread can be computed by anyone, who would then be there first.
 */
export const isReservedId = (sessionId: string): boolean => /^s[0-9a-f]{24}$/.test(sessionId);

/**
 * The id of the event that brought a message with this Idempotency-Key. Its message is shown as `user-` followed by
 * this id.
 */
export const eventIdFor = async (idempotencyKey: string): Promise<string> =>
  `key-${(await sha256(idempotencyKey)).slice(0, 32)}`;

/** In hex. */
async function sha256(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
