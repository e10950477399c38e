import { readOnce } from '../plain/read-once.ts';
import { shortVersion } from '../session/skills.ts';
import type { SessionSkills, SkillsOf } from './of-session.ts';

/** Loads the code that reads skills, once per process: most calls read none. */
export const readSkills = readOnce(() => import('./open.ts'));

/** The skills of one call. Their code is read when one of them is. */
export const sessionSkills = (of: SkillsOf): SessionSkills => ({
  list: () => (of.skills?.list ?? []).map(({ name, hash }) => ({ name, version: shortVersion(hash) })),
  files: async (name) => (await readSkills()).filesOf(of, name),
  read: async (name, path) => (await readSkills()).readFile(of, name, path),
});
