/**
 * A model server redirects its request elsewhere. The request, which holds a whole conversation and a key, was sent
 * nowhere else.
 */
export class RedirectFault extends Error {
  /** Origin that the redirect points to; undefined if it is no address. */
  readonly target: string | undefined;
  constructor(target: string | undefined) {
    super('redirected');
    this.target = target;
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These keep the method POST; the others would turn it into GET. */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
/** Most redirects in a row that are followed. */
const MOST = 3;

/**
 * The platform's `fetch` for requests to model servers. The plain `fetch` follows a redirect to any address and takes
 * the body and `x-api-key` along. This one follows a 307 or 308 only within the server's own origin. Rejects with
 * {@link RedirectFault} at any other.
 */
export async function modelFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  let at = new URL(url instanceof Request ? url.url : url);
  for (let followed = 0; ; followed++) {
    const response = await fetch(url instanceof Request && followed === 0 ? url : at.href, {
      ...init,
      redirect: 'manual',
    });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    const next = URL.parse(response.headers.get('location') ?? '', at.href);
    if (!next || next.origin !== at.origin || !KEEPS_METHOD.has(response.status) || followed === MOST)
      throw new RedirectFault(next?.origin);
    at = next;
  }
}

/** The fault among the causes of an error that a call threw: SDKs wrap it. */
export function redirectIn(error: unknown): RedirectFault | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof RedirectFault) return at;
  return undefined;
}
