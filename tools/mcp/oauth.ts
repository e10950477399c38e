import type { AuthProvider, OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { recent } from '../../shared/agent/plain/recent.ts';
import { inHeader } from '../plain/in-header.ts';
import { discoverAuthorizationServerMetadata, fetchToken, OAuthError } from './client.ts';
import { soundLogin } from './login-answers.ts';
import type { McpAuth } from './options.ts';
import type { Wire } from './wire.ts';

type OAuth = Extract<McpAuth, { oauth: string }>;

const Secret = z.object({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  refreshToken: z.string().min(1).optional(),
});
type Secret = z.infer<typeof Secret>;

/** ms before its expiry at which a token is no longer used: a request may take a while to arrive. */
const MARGIN_MS = 60_000;
/** Most tokens that are cached in a warm process. */
const MAX_TOKENS = 200;

interface Held {
  readonly token: Promise<OAuthTokens>;
  /** Epoch ms of the request for the token. */
  readonly at: number;
}

/** Access tokens by the parameters of their request, including the secret. In memory only: nothing of them is ever written. */
const held = recent<Held>(MAX_TOKENS);

/**
 * Access tokens by client credentials, or by the secret's refresh token. A token is requested before it is needed,
 * cached while the process is warm, and requested again when it has expired or the server refuses it. The definition's
 * `issuer` names the token server: the MCP server has no say in where the secret goes.
 *
 * The secret's own refresh token is used each time. A replacement that the server sends back is not kept: concurrent
 * functions would use it up for one another, which such servers treat as theft (docs/mcp.md, "OAuth").
 */
export function oauthProvider(
  auth: OAuth,
  { value, client }: { readonly value: string; readonly client: unknown },
  to: { readonly wire: Wire; readonly resource: URL },
): AuthProvider {
  const read = Secret.safeParse(client);
  if (!read.success)
    throw new Error(
      `the secret ${auth.oauth} must have "clientId", and may have "clientSecret" and "refreshToken"`,
    );
  const id = JSON.stringify([auth.issuer, auth.scope, to.resource.href, value]);

  const get = async (): Promise<OAuthTokens> => {
    const known = held.get(id);
    if (known) {
      const { expires_in: seconds } = await known.token;
      if (seconds === undefined || Date.now() < known.at + seconds * 1000 - MARGIN_MS) return known.token;
    }
    return ask();
  };
  const ask = (): Promise<OAuthTokens> => {
    const token = tokenFrom(auth, read.data, to);
    held.set(id, { token, at: Date.now() });
    // A failure is not cached.
    token.catch(() => held.get(id)?.token === token && held.delete(id));
    return token;
  };

  let sent: string | undefined;
  return {
    async token() {
      const { access_token: token } = await get();
      sent = token;
      return inHeader(token, `the access token from ${auth.issuer}`);
    },
    async onUnauthorized() {
      // Another call may have got a new one meanwhile.
      const known = await held.get(id)?.token;
      if (known?.access_token === sent) await ask();
    },
  };
}

async function tokenFrom(
  { issuer, scope, oauth }: OAuth,
  { clientId, clientSecret, refreshToken }: Secret,
  { wire, resource }: { readonly wire: Wire; readonly resource: URL },
): Promise<OAuthTokens> {
  const never = () => {
    throw new Error('a user cannot be sent to a login page from here');
  };
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], ...(scope && { scope }) },
    clientInformation: () => ({ client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }),
    tokens: () => undefined,
    saveTokens: never,
    redirectToAuthorization: never,
    saveCodeVerifier: never,
    codeVerifier: never,
    prepareTokenRequest: () =>
      new URLSearchParams({
        ...(refreshToken
          ? { grant_type: 'refresh_token', refresh_token: refreshToken }
          : { grant_type: 'client_credentials' }),
        // Without it, Entra issues a token for another resource (anthropics/claude-code#89862).
        ...(scope && { scope }),
      }),
  };
  try {
    const fetchFn = soundLogin(wire.fetchToken, issuer);
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (!metadata) throw new Error('it has no metadata (RFC 8414 or OpenID Connect)');
    return await fetchToken(provider, issuer, { metadata, resource, fetchFn });
  } catch (error) {
    throw new Error(`there is no access token from ${issuer} for ${oauth}: ${why(error)}`);
  }
}

/** The code of an error, if the standard names it; a server's own words may hold anything. */
function why(error: unknown): string {
  if (error instanceof OAuthError) {
    const hint =
      error.code === 'invalid_grant'
        ? ', its refresh token is no longer valid; put a new one into the secret'
        : '';
    return `it answered ${error.code}${hint}`;
  }
  return error instanceof Error ? error.message.slice(0, 200) : String(error);
}
