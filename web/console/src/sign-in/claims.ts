/** The claims of a token, unchecked: for showing, and for the time at which a session ends. */
export interface Claims {
  readonly sub?: string;
  readonly iss?: string;
  /** Seconds since 1970. */
  readonly exp?: number;
}

/** The claims of a JWT; undefined for anything else. */
export function claimsOf(token: string): Claims | undefined {
  const [, payload, signature, more] = token.split('.');
  if (payload === undefined || signature === undefined || more !== undefined) return undefined;
  try {
    const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof claims !== 'object' || claims === null) return undefined;
    const { sub, iss, exp } = claims as Record<string, unknown>;
    return {
      ...(typeof sub === 'string' && { sub }),
      ...(typeof iss === 'string' && { iss }),
      ...(typeof exp === 'number' && { exp }),
    };
  } catch {
    return undefined;
  }
}

/** When a token ends, in epoch ms; undefined if it does not say, as API keys and the deployment's API token. */
export function endOf(token: string): number | undefined {
  const exp = claimsOf(token)?.exp;
  return exp === undefined ? undefined : exp * 1000;
}

/** The user that a token signs in, in words. */
export function bearerOf(token: string): string {
  const [, key] = /^sl_([^_]+\.[^_]+)_/.exec(token) ?? [];
  if (key !== undefined) return `the API key ${key}`;
  const claims = claimsOf(token);
  if (claims) return `${claims.sub ?? 'a user without a name'} of ${claims.iss ?? 'an unnamed issuer'}`;
  return 'the holder of a token without a name, such as the deployment’s API token';
}
