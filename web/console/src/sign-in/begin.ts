import type { ConsoleConfig } from '../../../../shared/contract/console.ts';
import type { Credential } from './credential.ts';
import { credentialOf } from './kept.ts';

/** The page's initial state. */
export interface Begun {
  readonly config: ConsoleConfig;
  /** Absent if the user has to sign in. */
  readonly credential: Credential | undefined;
  /** The token of the link that led here. Another person may have made the link, so it is not used before the user agrees. */
  readonly offered: string | undefined;
}

/** Takes the token out of the address, if a link contained one, and completes a sign-in at the issuer. */
export function begin(): Promise<Begun> {
  return read(offeredToken());
}

/** The token in the address, which is neither in the address nor in the history afterwards. */
export function offeredToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')?.trim();
  if (token === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return token === '' ? undefined : token;
}

async function read(offered: string | undefined): Promise<Begun> {
  const response = await fetch('/console/config.json');
  if (!response.ok)
    throw new Error(`the console could not load its configuration: HTTP ${response.status}. Reload the page`);
  const config = (await response.json()) as ConsoleConfig;
  return { config, credential: await credentialOf(config), offered };
}
