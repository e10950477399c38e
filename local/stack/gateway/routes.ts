/** A parsed HTTP API route. */
export interface HttpRoute<T> {
  /** As declared: `GET /a/{b}`, `ANY /{proxy+}` or `$default`. */
  key: string;
  target: T;
}

/** The route that a request takes, and the values of its path variables (decoded). */
export interface RouteMatch<T> {
  route: HttpRoute<T>;
  pathParameters: Record<string, string>;
}

/**
 * Chooses among the routes as API Gateway does: static segments before variables before a greedy variable, decided
 * from the left; then the exact method before ANY; then `$default`.
 */
export function matchRoute<T>(
  routes: HttpRoute<T>[],
  method: string,
  path: string,
): RouteMatch<T> | undefined {
  const candidates = routes.flatMap((route) => {
    const pathParameters = matchOne(route.key, method, path);
    return pathParameters ? [{ route, pathParameters }] : [];
  });
  return candidates.sort((a, b) => (rank(a.route.key) < rank(b.route.key) ? -1 : 1))[0];
}

function matchOne(key: string, method: string, path: string): Record<string, string> | undefined {
  if (key === '$default') return {};
  const [verb, pattern = '/'] = key.split(' ');
  if (verb !== 'ANY' && verb !== method) return undefined;
  const wanted = pattern.split('/');
  const given = path.split('/');
  const found: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index];
    if (segment.endsWith('+}')) {
      const rest = given.slice(index).join('/');
      if (rest === '') return undefined;
      found[segment.slice(1, -2)] = decode(rest);
      return found;
    }
    if (value === undefined) return undefined;
    if (segment.startsWith('{')) {
      if (value === '') return undefined;
      found[segment.slice(1, -1)] = decode(value);
    } else if (segment !== value) {
      return undefined;
    }
  }
  return wanted.length === given.length ? found : undefined;
}

/** A text that sorts routes from the most to the least specific. */
function rank(key: string): string {
  if (key === '$default') return '9';
  const [verb, pattern = '/'] = key.split(' ');
  const segments = pattern
    .split('/')
    .map((segment) => (segment.endsWith('+}') ? '3' : segment.startsWith('{') ? '2' : '1'));
  return segments.join('') + (verb === 'ANY' ? '2' : '1');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
