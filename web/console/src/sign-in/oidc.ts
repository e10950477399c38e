/** Sign-in at an OpenID Connect issuer, by the code flow with PKCE. Loaded only if the deployment has a client there. */

import { type User, UserManager } from 'oidc-client-ts';
import type { ConsoleConfig } from '../../../../shared/contract/console.ts';
import { endOf } from './claims.ts';
import type { Credential } from './credential.ts';

type Oidc = NonNullable<ConsoleConfig['oidc']>;

/** The address to which the issuer sends people back: it must be registered there. */
const back = () => `${location.origin}/console`;

const managerOf = ({ issuer, clientId }: Oidc) =>
  new UserManager({
    authority: issuer,
    client_id: clientId,
    redirect_uri: back(),
    scope: 'openid',
    // Renewal uses a refresh token, if the issuer gives one; a hidden frame is not allowed here.
    automaticSilentRenew: false,
  });

/** Leaves the page for the issuer's. */
export async function signIn(oidc: Oidc): Promise<void> {
  await managerOf(oidc).signinRedirect({ state: location.pathname });
}

/** The signed-in user; completes a sign-in if the address is the issuer's callback. Rejects if the issuer has refused. */
export async function signedIn(oidc: Oidc): Promise<Credential | undefined> {
  const manager = managerOf(oidc);
  const asked = new URLSearchParams(location.search);
  if (asked.has('state') && (asked.has('code') || asked.has('error'))) {
    const to = location.pathname;
    try {
      const { state } = await manager.signinCallback().then((user) => user ?? { state: to });
      history.replaceState(null, '', typeof state === 'string' && state.startsWith('/console') ? state : to);
    } catch (error) {
      history.replaceState(null, '', to);
      throw error;
    }
  }
  const user = await manager.getUser();
  if (!user || user.expired) return undefined;
  /** The user with tokens that are valid, as far as the issuer renews them. One renewal at a time: it uses the refresh token up. */
  let renewal: Promise<User | null> | undefined;
  const current = async () => {
    const kept = await manager.getUser();
    if (!kept?.refresh_token || Date.now() < endOfUser(kept, oidc)) return kept;
    renewal ??= manager.signinSilent().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  return {
    token: async () => (await current())?.[oidc.token] ?? '',
    async endsAt() {
      try {
        const now = await current();
        return now ? endOfUser(now, oidc) : 0;
      } catch {
        // The issuer renews nothing any more.
        return 0;
      }
    },
    forget: () => manager.removeUser(),
  };
}

/** When the token that the APIs get from this user ends, in epoch ms. */
const endOfUser = (user: User, { token }: Oidc): number =>
  endOf(user[token] ?? '') ?? (user.expires_at ?? Number.POSITIVE_INFINITY) * 1000;
