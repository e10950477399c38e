/**
 * The id of the session that belongs to an outside key, for instance `github:owner/repo#12`:
 * the same key always leads to the same session.
 */
export async function sessionIdFor(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `s${hex.slice(0, 24)}`;
}
