import type { SlackFile } from './payloads.ts';

/** Time in ms for one download. */
const PATIENCE_MS = 20_000;
/** Redirects that are followed. */
const MAX_REDIRECTS = 3;

export interface DownloadAs {
  /** The bot's token. */
  readonly token: string;
  /** Base URL of the Web API: files may also be on its host, which matters only for emulators. */
  readonly apiUrl: string;
  /** Longer files are not read. */
  readonly maxBytes: number;
  /** Aborts when there is no more time for any of them. */
  readonly signal: AbortSignal;
}

/** The bytes of a file, or why there are none: for now, or for good. */
export type Downloaded =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'not_now' | 'refused'; readonly why: string };

/**
 * Fetches a file of a message. Never throws. The bot's token is sent to the host of Slack's files and nowhere else,
 * even if that host redirects.
 */
export async function download(file: SlackFile, as: DownloadAs): Promise<Downloaded> {
  const { size, file_access, mimetype, url_private_download, url_private } = file;
  if ((size ?? 0) > as.maxBytes) return refused(TOO_LARGE);
  if (file_access === 'check_file_info')
    return refused('it is kept by another organisation, and was not handed out');
  try {
    const response = await ask(url_private_download ?? url_private ?? '', as);
    if (typeof response === 'string') return refused(response);
    // Without permission to read files, Slack answers with its sign-in page.
    const type = response.headers.get('content-type') ?? '';
    const signIn = type.startsWith('text/html') && mimetype !== 'text/html';
    if (response.ok && !signIn) return await bytesOf(response, as.maxBytes);
    await response.body?.cancel();
    const { status } = response;
    const why = `Slack did not give it (HTTP ${status})`;
    return { kind: status === 429 || status >= 500 ? 'not_now' : 'refused', why };
  } catch {
    return { kind: 'not_now', why: 'it could not be fetched' };
  }
}

const TOO_LARGE = 'too large to be read';

const refused = (why: string): Downloaded => ({ kind: 'refused', why });

async function ask(first: string, { token, apiUrl, signal }: DownloadAs): Promise<Response | string> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!isFileUrl(url, apiUrl)) return 'it is not where Slack keeps files';
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    const to = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (to === null) return response;
    await response.body?.cancel();
    url = URL.parse(to, url)?.href ?? '';
  }
  return 'it leads on and on';
}

async function bytesOf({ body }: Response, maxBytes: number): Promise<Downloaded> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return refused(TOO_LARGE);
    chunks.push(chunk);
  }
  return { kind: 'bytes', bytes: Buffer.concat(chunks) };
}

/**
 * Whether a URL is one of Slack's files, so that the bot's token may be sent to it. No other host of Slack qualifies: a
 * file that only points elsewhere has the URL that its author chose, and a URL of the Web API would be a call in the
 * bot's name.
 */
export function isFileUrl(url: string, apiUrl: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed || parsed.username || parsed.password) return false;
  // It redirects to `files-origin.slack.com`.
  if (
    parsed.protocol === 'https:' &&
    parsed.port === '' &&
    /^files(-[a-z]+)?\.slack\.com$/.test(parsed.hostname)
  )
    return true;
  return parsed.origin === URL.parse(apiUrl)?.origin && parsed.pathname.startsWith('/files-pri/');
}
