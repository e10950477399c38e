/**
 * What the tools are let into GitHub with: the secret itself when it is a token, or a token of the installation of the GitHub App
 * that the secret describes.
 */

import type { Access } from './access.ts';

/** A token of an installation, while this process is warm. */
interface Kept {
  /** What it was asked for with: another one means another token. */
  readonly secret: string;
  readonly token: string;
  /** Epoch ms: then another is asked for. */
  readonly until: number;
}

/** By base URL and repository. The secret is the deployment's, so it is the same for all of its tenants. */
const kept = new Map<string, Kept>();

/** Before GitHub's own end of a token, which comes an hour after it was made: a call must not begin with one that ends during it. */
const SPARE_MS = 5 * 60_000;

/**
 * A token for calls about one repository. Rejects with a sentence when the secret is neither a token nor an App, when the App is not
 * installed there, and when GitHub takes its key for wrong; nothing of the secret is in it.
 */
export async function tokenFor(access: Access): Promise<string> {
  const secret = access.secret.trim();
  if (!secret.startsWith('{')) return secret;
  const found = kept.get(placeOf(access));
  if (found && found.secret === secret && Date.now() < found.until) return found.token;
  // Read by those alone who have an App.
  const { mint } = await import('./app.ts');
  const { token, expiresAt } = await mint({ ...access, secret });
  kept.set(placeOf(access), { secret, token, until: expiresAt - SPARE_MS });
  return token;
}

/** GitHub has refused the token: the next call asks for another one. */
export const forget = (access: Access): void => void kept.delete(placeOf(access));

const placeOf = ({ base, repo }: Access): string => `${base} ${repo.toLowerCase()}`;
