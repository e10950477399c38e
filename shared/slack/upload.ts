import type { Answer } from './api.ts';

/** Time in ms for one upload. */
const PATIENCE_MS = 30_000;

/**
 * Sends a file to the address that Slack has given for it (docs.slack.dev, files.getUploadURLExternal: raw bytes, without a token). Never
 * rejects.
 *
 * @param apiUrl base URL of the Web API: uploads may also go to its host, which matters only for emulators
 */
export async function upload(url: string, bytes: Uint8Array, apiUrl: string): Promise<Answer<unknown>> {
  if (!isUploadUrl(url, apiUrl)) return { kind: 'refused', error: 'upload_url_elsewhere' };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes as Uint8Array<ArrayBuffer>,
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.body?.cancel();
    const { ok, status } = response;
    if (ok) return { kind: 'ok', value: undefined };
    if (status === 429) {
      const seconds = Number(response.headers.get('retry-after'));
      return { kind: 'limited', retryAfterMs: Math.max(1, Number.isFinite(seconds) ? seconds : 30) * 1_000 };
    }
    return { kind: status >= 500 ? 'unknown' : 'refused', error: `http_${status}` };
  } catch {
    return { kind: 'unknown', error: 'the upload got no answer' };
  }
}

/** Whether an address is where Slack takes files: their content goes nowhere else. */
export function isUploadUrl(url: string, apiUrl: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed || parsed.username || parsed.password || !parsed.pathname.startsWith('/upload/')) return false;
  if (parsed.protocol === 'https:' && parsed.port === '' && parsed.hostname === 'files.slack.com')
    return true;
  return parsed.origin === URL.parse(apiUrl)?.origin;
}
