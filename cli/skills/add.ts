import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { shortVersion } from '../../shared/agent/session/skills.ts';
import type { CheckedSkill } from '../../shared/agent/skills/check-skill.ts';
import { frontMatterOf } from '../../shared/agent/skills/front-matter.ts';
import { SKILL_FILE, SKILL_NAME } from '../../shared/agent/skills/limits.ts';
import { unpack } from '../../shared/agent/skills/pack.ts';
import { readSkillFolder, SKILLS_FOLDER } from '../../shared/skills/folder.ts';
import { LOCK_FILE, type Lock, readLock } from '../../shared/skills/lock.ts';
import { Failed } from '../ends.ts';
import { reportOf } from './check.ts';
import { skillsUnder } from './find.ts';
import { brought } from './source.ts';

export interface AddOptions {
  /** Names of the skills to add; empty: the only one. */
  readonly wanted: readonly string[];
  readonly all: boolean;
  readonly yes: boolean;
  readonly force: boolean;
  readonly sha256?: string;
}

/** Copies skills from a source into a project. Nothing is written if one of them is wrong. */
export async function addSkills(project: string, source: string, options: AddOptions): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), 'steploop-skills-'));
  try {
    const { folder, archive } = await brought(source, scratch, options.sha256);
    const found = await Promise.all(
      (await skillsUnder(folder)).map(async (place) => readSkillFolder(place, await nameOf(place))),
    );
    const chosen = choose(found, options, source);
    const reported = chosen.map((checked) => ({
      place: checked.folder,
      checked,
      problems: checked.problems,
    }));
    if (chosen.some(({ problems }) => problems.length > 0)) console.log(reportOf(reported).join('\n'));
    if (chosen.some(({ skill }) => !skill)) throw new Failed('Nothing was added: correct the errors first.');
    if (!options.yes && chosen.some(({ problems }) => problems.length > 0))
      throw new Failed(
        'Nothing was added. Read the warnings and the files, and pass --yes to add them anyway.',
      );
    const lock = await readLock(project).catch((error: Error) => {
      throw new Failed(error.message);
    });
    refuseOthers(project, chosen, options);
    for (const checked of chosen) await write(project, checked);
    await note(project, lock, chosen, { source, ...(archive && { archive }) });
    for (const { skill } of chosen)
      if (skill)
        console.log(
          `Added ${skill.name}, version ${shortVersion(skill.hash)}: name it in the skills of an agent.`,
        );
    return 0;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The name that a skill gives itself, because archives and people name folders otherwise. */
async function nameOf(place: string): Promise<string> {
  const text = await readFile(join(place, SKILL_FILE), 'utf8').catch(() => '');
  const name = frontMatterOf(text).keys?.name;
  return typeof name === 'string' && SKILL_NAME.test(name) ? name : basename(place);
}

function choose(found: readonly CheckedSkill[], { wanted, all }: AddOptions, source: string): CheckedSkill[] {
  const names = found.map(({ folder }) => folder).sort();
  if (names.length === 0)
    throw new Failed(`There is no skill in ${source}: a skill is a folder with a SKILL.md.`);
  const twice = names.find((name, i) => names[i + 1] === name);
  if (twice && (all || wanted.includes(twice)))
    throw new Failed(`${source} has two skills named ${twice}: name the folder of one.`);
  const missing = wanted.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new Failed(`${source} has no skill named ${missing.join(', ')}. It has: ${names.join(', ')}.`);
  if (all) return [...found];
  if (wanted.length > 0) return found.filter(({ folder }) => wanted.includes(folder));
  if (found.length > 1)
    throw new Failed(
      `${source} has several skills: choose with --skill NAME, or --all. They are: ${names.join(', ')}.`,
    );
  return [...found];
}

function refuseOthers(project: string, chosen: readonly CheckedSkill[], { force }: AddOptions): void {
  const there = chosen.filter(({ folder }) => existsSync(join(project, SKILLS_FOLDER, folder)));
  if (there.length > 0 && !force)
    throw new Failed(
      `${there.map(({ folder }) => `${SKILLS_FOLDER}/${folder}`).join(', ')} is there already. Nothing was added: --force replaces it.`,
    );
}

/** Writes what was checked, and nothing else of the folder. An earlier version goes when the new one is complete. */
async function write(project: string, { folder, skill, pack = '' }: CheckedSkill): Promise<void> {
  const place = join(project, SKILLS_FOLDER, folder);
  const fresh = `${place}.new`;
  await rm(fresh, { recursive: true, force: true });
  for (const [path, bytes] of unpack(pack, String(skill?.hash))) {
    await mkdir(dirname(join(fresh, path)), { recursive: true });
    await writeFile(join(fresh, path), bytes);
  }
  await rm(place, { recursive: true, force: true });
  await rename(fresh, place);
}

async function note(
  project: string,
  lock: Lock,
  chosen: readonly CheckedSkill[],
  from: { readonly source: string; readonly archive?: string },
): Promise<void> {
  const added = chosen.flatMap(({ folder, skill }) =>
    skill ? [[folder, { ...from, version: skill.hash }] as const] : [],
  );
  const all = { ...lock, ...Object.fromEntries(added) };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(join(project, LOCK_FILE), `${JSON.stringify(sorted, null, 2)}\n`);
}
