import { oneLine } from '../../local/amounts.ts';
import { printable } from '../../local/printable.ts';
import { shortVersion } from '../../shared/agent/session/skills.ts';
import { readLock } from '../../shared/skills/lock.ts';
import { projectSkills } from '../../shared/skills/project.ts';
import { Failed } from '../ends.ts';

/** Characters of a description in the list. */
const MAX_DESCRIPTION = 100;

/** Lists the skills of a project, with their versions and where they come from. */
export async function listSkills(project: string, json: boolean): Promise<number> {
  const lock = await readLock(project).catch((error: Error) => {
    throw new Failed(error.message);
  });
  const all = (await projectSkills(project)).map(({ folder, skill }) => ({
    name: folder,
    ...(skill && { version: skill.hash, description: skill.description }),
    ...(Object.hasOwn(lock, folder) && { source: lock[folder]?.source }),
  }));
  if (json) console.log(JSON.stringify(all, null, 2));
  else if (all.length === 0)
    console.log(
      'This project has no skills: make skills/NAME/SKILL.md, or add one with steploop skills add.',
    );
  else
    for (const { name, version, description, source } of all)
      console.log(
        printable(
          `${name}  ${version ? shortVersion(version) : 'cannot be used: steploop skills check says why'}${source ? `  from ${source}` : ''}${description ? `\n  ${oneLine(description, MAX_DESCRIPTION)}` : ''}`,
        ),
      );
  return 0;
}
