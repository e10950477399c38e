/** CorsConfiguration of an HTTP API. */
export interface CorsSettings {
  allowOrigins: string[];
  allowMethods: string[];
  allowHeaders: string[];
  exposeHeaders: string[];
  allowCredentials: boolean;
  /** Seconds. */
  maxAge: number | undefined;
}

/** Headers that the API adds to a reply for this origin; none if the origin is absent or not allowed. */
export function corsHeaders(cors: CorsSettings, origin: string | undefined): Record<string, string> {
  if (origin === undefined || !cors.allowOrigins.some((allowed) => matches(allowed, origin))) return {};
  return {
    'access-control-allow-origin': cors.allowOrigins.includes('*') && !cors.allowCredentials ? '*' : origin,
    ...(cors.allowCredentials ? { 'access-control-allow-credentials': 'true' } : {}),
    ...(cors.exposeHeaders.length === 0
      ? {}
      : { 'access-control-expose-headers': cors.exposeHeaders.join(',') }),
  };
}

/** Headers of the answer to a preflight request (OPTIONS), which needs no route. */
export function preflightHeaders(cors: CorsSettings, origin: string | undefined): Record<string, string> {
  const headers = corsHeaders(cors, origin);
  if (Object.keys(headers).length === 0) return {};
  return {
    ...headers,
    'access-control-allow-methods': cors.allowMethods.join(','),
    'access-control-allow-headers': cors.allowHeaders.join(','),
    ...(cors.maxAge === undefined ? {} : { 'access-control-max-age': String(cors.maxAge) }),
  };
}

/** `*`, `https://*` and `http://localhost:*` style patterns. */
function matches(allowed: string, origin: string): boolean {
  const [start = '', end] = allowed.split('*');
  return end === undefined ? allowed === origin : origin.startsWith(start) && origin.endsWith(end);
}
