import type { ConsoleConfig } from '../../../../shared/contract/console.ts';
import type { Credential } from './credential.ts';
import { credentialOf, keepToken } from './kept.ts';

/** What the page starts with. */
export interface Begun {
  readonly config: ConsoleConfig;
  /** Absent: somebody has to sign in. */
  readonly credential: Credential | undefined;
}

/** Takes the token out of the address, where a link had it, and comes back from the issuer, where somebody was sent to it. */
export function begin(): Promise<Begun> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) {
    keepToken(token);
    // Not in the address, and not in the history.
    history.replaceState(null, '', location.pathname + location.search);
  }
  return read();
}

async function read(): Promise<Begun> {
  const response = await fetch('/console/config.json');
  if (!response.ok) throw new Error(`the console cannot be set up: HTTP ${response.status}`);
  const config = (await response.json()) as ConsoleConfig;
  return { config, credential: await credentialOf(config) };
}
