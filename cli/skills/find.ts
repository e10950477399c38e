import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SKILL_FILE } from '../../shared/agent/skills/limits.ts';

/** Folders in folders that are searched, and folders in all. */
const MAX_DEPTH = 6;
const MAX_FOLDERS = 2_000;

/** The folders with a `SKILL.md` in a folder, and itself; none inside of another skill. */
export async function skillsUnder(root: string): Promise<string[]> {
  const found: string[] = [];
  let left = MAX_FOLDERS;
  async function look(folder: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH || --left < 0) return;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => entry.isFile() && entry.name === SKILL_FILE)) {
      found.push(folder);
      return;
    }
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git')
        await look(join(folder, entry.name), depth + 1);
  }
  await look(root, 0);
  return found.sort();
}
