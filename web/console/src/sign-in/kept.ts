/** What this tab signs its requests with. It is kept for the tab alone, and goes when that is closed. */

import type { ConsoleConfig } from '../../../../shared/contract/console.ts';
import type { Credential } from './credential.ts';

const KEPT = 'steploop.token';

export const keepToken = (token: string): void => sessionStorage.setItem(KEPT, token.trim());

/** That of this tab; undefined when nobody has signed in. */
export async function credentialOf({ oidc }: ConsoleConfig): Promise<Credential | undefined> {
  const kept = sessionStorage.getItem(KEPT);
  if (kept) return { token: async () => kept, forget: async () => sessionStorage.removeItem(KEPT) };
  return oidc && (await import('./oidc.ts')).signedIn(oidc);
}
