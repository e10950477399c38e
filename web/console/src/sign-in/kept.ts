/** The credential of this tab. It is kept for the tab alone, and lost when the tab is closed. */

import type { ConsoleConfig } from '../../../../shared/contract/console.ts';
import { endOf } from './claims.ts';
import type { Credential } from './credential.ts';

const KEPT = 'steploop.token';

export const keepToken = (token: string): void => sessionStorage.setItem(KEPT, token.trim());

/** The tab's credential; undefined if no user has signed in. */
export async function credentialOf({ oidc }: ConsoleConfig): Promise<Credential | undefined> {
  const kept = sessionStorage.getItem(KEPT);
  if (kept)
    return {
      token: async () => kept,
      endsAt: async () => endOf(kept),
      forget: async () => sessionStorage.removeItem(KEPT),
    };
  return oidc && (await import('./oidc.ts')).signedIn(oidc);
}
