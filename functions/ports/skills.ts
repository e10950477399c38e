import { readOnce } from '../../shared/agent/plain/read-once.ts';
import type { DeployedSkill } from '../../shared/agent/skills/skill.ts';

const readData = readOnce(() => import('./skills-data.ts'));

/** The deployed skills of these names, which were checked before the deploy. Nothing of them is read before a session needs it. */
export async function deployedSkills(names: readonly string[]): Promise<readonly DeployedSkill[]> {
  const { skills } = await readData();
  return names.map((name) => {
    const found = skills.find((skill) => skill.name === name);
    if (!found) throw new Error(`the skill ${name} is not in the bundle of this function`);
    return found;
  });
}
