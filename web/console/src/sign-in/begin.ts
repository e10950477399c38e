import type { ConsoleConfig } from '../../../../shared/contract/console.ts';
import type { Credential } from './credential.ts';
import { credentialOf, keepToken } from './kept.ts';

/** The page's initial state. */
export interface Begun {
  readonly config: ConsoleConfig;
  /** Absent if the user has to sign in. */
  readonly credential: Credential | undefined;
}

/** Takes the token out of the address, if a link contained one, and completes a sign-in at the issuer. */
export function begin(): Promise<Begun> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) {
    keepToken(token);
    // The token stays neither in the address nor in the history.
    history.replaceState(null, '', location.pathname + location.search);
  }
  return read();
}

async function read(): Promise<Begun> {
  const response = await fetch('/console/config.json');
  if (!response.ok)
    throw new Error(`the console could not load its configuration: HTTP ${response.status}. Reload the page`);
  const config = (await response.json()) as ConsoleConfig;
  return { config, credential: await credentialOf(config) };
}
