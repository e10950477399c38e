/**
 * The tools' access to GitHub: the secret itself if it is a token, or a token of the installation of the GitHub App that the
 * secret describes.
 */

import type { Access } from './access.ts';

/** A token of an installation, cached while this process is warm. */
interface Kept {
  /** The secret that it was requested with. Another secret needs another token. */
  readonly secret: string;
  readonly token: string;
  /** Epoch ms after which a new one is requested. */
  readonly until: number;
}

/** By base URL and repository. The secret is the deployment's, so it is the same for all of its tenants. */
const kept = new Map<string, Kept>();

/**
 * Margin before GitHub's own end of a token, which comes an hour after it was made: a call must not begin with a token that
 * expires during it.
 */
const SPARE_MS = 5 * 60_000;

/**
 * A token for calls about one repository. Rejects with a sentence if the secret is neither a token nor an App, if the App is not
 * installed there, or if GitHub rejects its key. The sentence contains nothing of the secret.
 */
export async function tokenFor(access: Access): Promise<string> {
  const secret = access.secret.trim();
  if (!secret.startsWith('{')) return secret;
  const found = kept.get(placeOf(access));
  if (found && found.secret === secret && Date.now() < found.until) return found.token;
  // Loaded only for an App.
  const { mint } = await import('./app.ts');
  const { token, expiresAt } = await mint({ ...access, secret });
  kept.set(placeOf(access), { secret, token, until: expiresAt - SPARE_MS });
  return token;
}

/** GitHub has refused the token: the next call requests a new one. */
export const forget = (access: Access): void => void kept.delete(placeOf(access));

const placeOf = ({ base, repo }: Access): string => `${base} ${repo.toLowerCase()}`;
