/** Reads the folders of skills from a disk: of a project, or of an archive that was unpacked. */

import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckedSkill, checkSkill } from '../agent/skills/check-skill.ts';
import { SKILL_FILE, skillLimits } from '../agent/skills/limits.ts';
import { problem, type SkillProblem } from '../agent/skills/problem.ts';

/** The folder of a project's skills, beside its definition. */
export const SKILLS_FOLDER = 'skills';

/** Folders that are no part of a skill, and files that systems leave behind. */
const LEFT_OUT = new Set(['node_modules', '__pycache__', 'Thumbs.db', '.DS_Store', '.git']);
/** Folders in folders. */
const MAX_DEPTH = 8;

/** Names of the folders in it that are skills, sorted. Empty if there is no such folder. */
export async function skillFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const names = await readdir(join(folder, name)).catch(() => []);
        return names.some((file) => file.toLowerCase() === SKILL_FILE.toLowerCase()) ? [name] : [];
      }),
  );
  return found.flat().sort();
}

/** Reads and checks one skill. Links, hidden files and what is too large are not read, and are among its problems. */
export async function readSkillFolder(folder: string, name: string): Promise<CheckedSkill> {
  const files = new Map<string, Uint8Array>();
  const problems: SkillProblem[] = [];
  const say = (level: SkillProblem['level'], path: string, why: string) => {
    problems.push(problem(level, path, why));
  };

  async function read(path: string, depth: number): Promise<void> {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`;
      if (LEFT_OUT.has(entry.name)) continue;
      if (entry.isSymbolicLink()) say('error', inside, 'is a link: put the file itself there');
      else if (entry.name.startsWith('.')) say('warning', inside, 'is hidden, so it is left out');
      else if (entry.isDirectory() && depth >= MAX_DEPTH)
        say('error', inside, `lies in more than ${MAX_DEPTH} folders`);
      else if (entry.isDirectory()) await read(inside, depth + 1);
      else if (!entry.isFile()) say('error', inside, 'is not a file');
      else if (files.size > skillLimits.files) return;
      else await take(inside);
    }
  }

  async function take(path: string): Promise<void> {
    const { size } = await lstat(join(folder, path));
    if (size > skillLimits.fileBytes)
      return say('error', path, `has ${size} bytes; at most ${skillLimits.fileBytes} are allowed`);
    files.set(path.normalize('NFC'), await readFile(join(folder, path)));
  }

  await read('', 1).catch((error: Error) =>
    say('error', SKILL_FILE, `the folder cannot be read: ${error.message}`),
  );
  return checkSkill(name, files, problems);
}
