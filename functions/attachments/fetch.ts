import { maxBytes } from '../../shared/agent/media/inspect.ts';
import type { Egress } from '../../shared/agent/ports/egress.ts';

/**
 * Fetches the bytes behind a link that came with a message. The sender chose the address, so it is fetched as tools fetch: only
 * from public addresses, also after redirects, and bounded.
 *
 * @param signal aborts when there is no time left
 * @returns a sentence for the sender if there are no bytes. It does not say what was there instead, because that may be private
 */
export async function fetchLink(
  link: string,
  egress: Egress,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  if (!isHttps(link)) return 'Only links that begin with https:// are fetched.';
  try {
    const response = await egress.fetch(link, { maxBytes: maxBytes.file, signal });
    if (response.ok && isHttps(response.url)) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
  } catch {
    // The sentence that follows is the same for every error.
  }
  return `Its link could not be fetched: it must lead to a public address, answer in time, and have at most ${maxBytes.file} bytes.`;
}

const isHttps = (url: string): boolean => URL.parse(url)?.protocol === 'https:';

/** The bytes of a text in base64 or base64url; undefined if it is neither. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  const plain = text.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(plain) ? new Uint8Array(Buffer.from(plain, 'base64')) : undefined;
}
