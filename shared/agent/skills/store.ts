import { blobKey } from '../plain/blob-key.ts';
import { type Recent, recent } from '../plain/recent.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/ports.ts';
import { contentAt } from '../workspace/cache.ts';
import { unpack } from './pack.ts';
import type { DeployedSkill } from './skill.ts';

/**
 * Where a version of a skill is stored, once for a tenant: no session has this name. Like a definition it is never changed or
 * deleted, because sessions of any age may name it.
 */
const packKey = (tenant: string, hash: string): string => blobKey(tenant, '_skills', hash);

/** Versions that a worker knows to be stored, separate for each store. */
const stored = new WeakMap<Pick<Blobs, 'has'>, Recent<true>>();
const MAX_KNOWN = 5_000;

/** Stores the files of skills for a tenant. Must be done before anything names them; doing it again changes nothing. */
export async function keepSkills(
  tenant: string,
  skills: readonly DeployedSkill[],
  blobs: Pick<Blobs, 'has' | 'put'>,
): Promise<void> {
  const known = stored.get(blobs) ?? recent<true>(MAX_KNOWN, () => 1);
  stored.set(blobs, known);
  await Promise.all(
    skills.map(async ({ hash, pack }) => {
      const key = packKey(tenant, hash);
      if (known.get(key)) return;
      if (!(await blobs.has(key))) await blobs.put(key, await pack());
      known.set(key, true);
    }),
  );
}

/** The files of a stored version, by path. Rejects with a sentence if they are missing. */
export async function filesOfSkill(
  tenant: string,
  hash: string,
  blobs: Pick<Blobs, 'getBytes'>,
  clock: Pick<Clock, 'now'>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const bytes = await contentAt(packKey(tenant, hash), blobs, clock);
  if (!bytes)
    throw new Error('its files are not stored: a new session gets the version that is deployed now');
  return unpack(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), hash);
}
