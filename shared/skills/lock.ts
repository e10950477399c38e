/** Where the skills of a project come from: `skills/skills.lock.json`, which `steploop skills add` writes. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { SKILLS_FOLDER } from './folder.ts';

/** Path of the file below the project. */
export const LOCK_FILE = `${SKILLS_FOLDER}/skills.lock.json`;

const Lock = z.record(
  z.string(),
  z.strictObject({
    /** As it was named on the command line. */
    source: z.string(),
    /** SHA-256 of the skill's files. */
    version: z.string().regex(/^[0-9a-f]{64}$/),
    /** SHA-256 of the archive that they were in; absent for a folder. */
    archive: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
  }),
);

/** Added skills by name. */
export type Lock = z.output<typeof Lock>;

/** The lock of a project; empty if there is none. Rejects with a sentence if the file cannot be read. */
export async function readLock(project: string): Promise<Lock> {
  const text = await readFile(join(project, LOCK_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    return Lock.parse(JSON.parse(text));
  } catch {
    throw new Error(`${LOCK_FILE} cannot be read: restore it, or remove it and add the skills again`);
  }
}

/** Why a skill is not the one that was added; undefined if it is, or was not added. */
export function changedSince(lock: Lock, name: string, version: string | undefined): string | undefined {
  const added = Object.hasOwn(lock, name) ? lock[name] : undefined;
  if (!added || version === undefined || added.version === version) return undefined;
  return `its files are not those that were added from ${added.source}: add it again with --force, or remove its entry from ${LOCK_FILE} if the change is yours`;
}
