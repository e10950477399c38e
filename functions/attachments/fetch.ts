import { maxBytes } from '../../shared/agent/media/inspect.ts';
import type { Egress } from '../../shared/agent/ports.ts';

/**
 * The bytes behind a link that came with a message. Somebody else chose where it leads, so it is fetched as tools fetch: from public
 * addresses only, also after redirects, and bounded.
 *
 * @param signal when there is no more time for it
 * @returns a sentence for whoever sent it when there are none. It does not say what was there instead: that may be nobody's business
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
    // The sentence is the same.
  }
  return `Its link could not be fetched: it must lead to a public address, in time, and to at most ${maxBytes.file} bytes.`;
}

const isHttps = (url: string): boolean => URL.parse(url)?.protocol === 'https:';

/** The bytes of a text in base64, or of its web variant; undefined when it is none. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  const plain = text.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(plain) ? new Uint8Array(Buffer.from(plain, 'base64')) : undefined;
}
