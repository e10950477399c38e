import * as z from 'zod';
import type { Secrets } from '../../shared/edge/secrets.ts';

/** Reads a sender's secrets by the name of its setting. Rejects when there are none: a source must not be open. */
export type SecretsOf = (setting: string) => Promise<string[]>;

/**
 * @param settings Secrets Manager ids, by setting: a secret of its own for each
 * @param sharedId the secret that holds those of all other settings, as a JSON object
 */
export function webhookSecrets(
  secrets: Pick<Secrets, 'get'>,
  settings: Readonly<Record<string, string | undefined>>,
  sharedId: string,
): SecretsOf {
  return async (setting) => {
    const own = settings[setting];
    const text = own ? await secrets.get(own) : readShared(await secrets.get(sharedId))[setting];
    const found = (text ?? '').split(/\s+/).filter(Boolean);
    if (found.length === 0) throw new Error(`the webhook secret ${setting} is not set`);
    return found;
  };
}

/** What nobody has put anything in is no JSON: then there are none. */
function readShared(text: string): Readonly<Record<string, string>> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    return {};
  }
}
