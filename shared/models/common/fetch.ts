/** A model server wants its request sent elsewhere. What it was to hold, a whole conversation and a key, was sent to nobody else. */
export class RedirectFault extends Error {
  /** Origin of where it points; undefined where that is no address. */
  readonly target: string | undefined;
  constructor(target: string | undefined) {
    super('redirected');
    this.target = target;
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These keep a POST what it is: the others would make a GET of it. */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
/** Redirects in a row that are followed. */
const MOST = 3;

/**
 * The platform's `fetch` for requests to model servers. By itself that follows a redirect to any address and takes the body and `x-api-key`
 * along. This one follows a 307 or 308 within the server's own origin. Rejects with {@link RedirectFault} at any other.
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

/** The fault among the causes of what a call threw: SDKs wrap it. */
export function redirectIn(error: unknown): RedirectFault | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof RedirectFault) return at;
  return undefined;
}
