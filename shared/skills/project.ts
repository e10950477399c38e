/** The skills of a project: the folders in `skills/` beside its definition. */

import { join } from 'node:path';
import { nearest } from '../agent/plain/nearest.ts';
import type { CheckedSkill } from '../agent/skills/check-skill.ts';
import { problemLine } from '../agent/skills/problem.ts';
import type { DeployedSkill } from '../agent/skills/skill.ts';
import { readSkillFolder, SKILLS_FOLDER, skillFolders } from './folder.ts';
import { changedSince, readLock } from './lock.ts';

export type { DeployedSkill };

/** All skills of a project, checked, in the order of their names. */
export async function projectSkills(project: string): Promise<CheckedSkill[]> {
  const folder = join(project, SKILLS_FOLDER);
  const names = await skillFolders(folder);
  return Promise.all(names.map((name) => readSkillFolder(join(folder, name), name)));
}

/** The skills of a project that may be deployed: those without an error. */
export async function deployableSkills(project: string): Promise<DeployedSkill[]> {
  const checked = await projectSkills(project);
  return checked.flatMap(({ skill, pack }) => (skill && pack ? [{ ...skill, pack: async () => pack }] : []));
}

/** Looks up deployed skills by name. Rejects with a sentence if one is missing. */
export const skillsIn =
  (project: string) =>
  async (names: readonly string[]): Promise<readonly DeployedSkill[]> => {
    const wrong = await wrongSkills([{ name: '', skills: names }], project);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    const all = await deployableSkills(project);
    return names.flatMap((name) => all.find((skill) => skill.name === name) ?? []);
  };

/** Errors of the skills that agents name, a line each. */
export async function wrongSkills(
  agents: readonly { readonly name: string; readonly skills: readonly string[] }[],
  project: string,
): Promise<string[]> {
  const named = new Set(agents.flatMap(({ skills }) => skills));
  if (named.size === 0) return [];
  const there = await skillFolders(join(project, SKILLS_FOLDER));
  const missing = agents.flatMap(({ name, skills }) =>
    skills.filter((skill) => !there.includes(skill)).map((skill) => missingLine(name, skill, there)),
  );
  const checked = await Promise.all(
    there
      .filter((name) => named.has(name))
      .map((name) => readSkillFolder(join(project, SKILLS_FOLDER, name), name)),
  );
  const lock = await readLock(project);
  const errors = checked.flatMap(({ folder, problems, skill }) => {
    const place = `${SKILLS_FOLDER}/${folder}`;
    const changed = changedSince(lock, folder, skill?.hash);
    return [
      ...problems.filter(({ level }) => level === 'error').map((one) => problemLine(one, place)),
      ...(changed ? [`${place}: ${changed}`] : []),
    ];
  });
  return [...missing, ...errors];
}

function missingLine(agent: string, skill: string, there: readonly string[]): string {
  const near = nearest(skill, there);
  const who = agent === '' ? '' : `agent ${agent}: `;
  return `${who}there is no ${SKILLS_FOLDER}/${skill}/SKILL.md beside the definition${near ? `; did you mean ${near}?` : ''}`;
}
