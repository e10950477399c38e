import { basename, join, relative, resolve } from 'node:path';
import { count, oneLine } from '../../local/amounts.ts';
import { printable } from '../../local/printable.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { shortVersion } from '../../shared/agent/session/skills.ts';
import type { CheckedSkill } from '../../shared/agent/skills/check-skill.ts';
import { problemLine, type SkillProblem } from '../../shared/agent/skills/problem.ts';
import { readSkillFolder, SKILLS_FOLDER, skillFolders } from '../../shared/skills/folder.ts';
import { changedSince, readLock } from '../../shared/skills/lock.ts';
import { Failed } from '../ends.ts';

/** A checked skill, and the path of its folder as people type it. */
interface Reported {
  readonly place: string;
  readonly checked: CheckedSkill;
  readonly problems: readonly SkillProblem[];
}

/** Checks the skills of a project, or of a folder: of one skill, or of several. */
export async function checkSkills(
  project: string,
  where: string | undefined,
  { json, strict }: { readonly json: boolean; readonly strict: boolean },
): Promise<number> {
  const folder = resolve(project, where ?? SKILLS_FOLDER);
  const places = await placesIn(folder);
  if (places.length === 0)
    throw new Failed(
      `There are no skills in ${relative(project, folder) || '.'}: a skill is a folder with a SKILL.md (docs/skills.md).`,
    );
  const lock = where === undefined ? await lockOf(project) : {};
  const all = await Promise.all(
    places.map(async (place): Promise<Reported> => {
      const checked = await readSkillFolder(place, basename(place));
      const changed = changedSince(lock, checked.folder, checked.skill?.hash);
      const problems: SkillProblem[] = [
        ...checked.problems,
        ...(changed ? [{ level: 'error' as const, file: 'SKILL.md', text: changed }] : []),
      ];
      return { place: relative(project, place) || '.', checked, problems };
    }),
  );
  console.log(json ? JSON.stringify(all.map(asJson), null, 2) : reportOf(all).join('\n'));
  const levels = new Set(all.flatMap(({ problems }) => problems.map(({ level }) => level)));
  return levels.has('error') || (strict && levels.size > 0) ? 1 : 0;
}

async function placesIn(folder: string): Promise<string[]> {
  const inside = (await skillFolders(folder)).map((name) => join(folder, name));
  if (inside.length > 0) return inside;
  const name = basename(folder);
  return (await skillFolders(resolve(folder, '..'))).includes(name) ? [folder] : [];
}

const lockOf = (project: string) =>
  readLock(project).catch((error: Error) => {
    throw new Failed(error.message);
  });

const asJson = ({ place, checked: { skill, files, bytes }, problems }: Reported) => ({
  folder: place,
  ...defined({ skill }),
  ...{ files, bytes, problems },
});

/** The report for people: a line for each skill, its problems below, and the sum. */
export function reportOf(all: readonly Reported[]): string[] {
  const lines = all.flatMap(({ place, checked: { skill, files, bytes }, problems }) => [
    `${printable(place)}  ${skill ? `${count(files, 'file')}, ${bytes.toLocaleString('en')} bytes, version ${shortVersion(skill.hash)}` : 'cannot be used'}`,
    ...problems.map((one) => `  ${oneLine(printable(problemLine(one, place)), 400)}`),
  ]);
  const problems = all.flatMap((one) => one.problems);
  const of = (level: SkillProblem['level']) => problems.filter((one) => one.level === level).length;
  return [
    ...lines,
    '',
    `${count(all.length, 'skill')}: ${count(of('error'), 'error')}, ${count(of('warning'), 'warning')}.`,
  ];
}
