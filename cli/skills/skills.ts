import { parse } from '../arguments.ts';
import { WrongUsage } from '../ends.ts';
import { addSkills } from './add.ts';
import { checkSkills } from './check.ts';
import { listSkills } from './list.ts';

const usage = `steploop skills list [--json]                  the skills of this project, in the folder skills beside its definition
steploop skills check [FOLDER] [--strict] [--json]
                                               checks them, or those in another folder: form, sizes, links, and signs of
                                               injections. --strict fails on warnings too
steploop skills add SOURCE [--skill NAME]… [--all] [--sha256 HASH] [--yes] [--force]
                                               copies skills from SOURCE into this project, and notes their version in
                                               skills/skills.lock.json. A deploy refuses them if they change afterwards

SOURCE is one of
  github:OWNER/REPO@COMMIT[/PATH]              a commit, by its 40 digits
  https://…                                    a .tar.gz, such as a presigned link to an object of a bucket; needs --sha256
  FILE.tar.gz                                  an archive on this machine
  FOLDER                                       a folder on this machine

  --skill NAME  one of several; can be repeated
  --all         all that are found
  --yes         also adds skills with warnings: read them first
  --force       replaces skills of the same name

Exit codes: 0 done. 1 failed, or something is wrong with a skill. 2 the command line is invalid.`;

/** `steploop skills`: works on the files of a project. */
export async function skills(args: readonly string[]): Promise<number> {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  const options = {
    ...{ json: flag, strict: flag, all: flag, yes: flag, force: flag },
    sha256: text,
    skill: { type: 'string', multiple: true },
  } as const;
  const parsed = parse(args, { usage, options, words: 2 });
  if (!parsed) return 0;
  const [what, where] = parsed.positionals;
  const {
    json = false,
    strict = false,
    all = false,
    yes = false,
    force = false,
    sha256,
    skill = [],
  } = parsed.values;
  const project = process.cwd();
  switch (what) {
    case 'list':
      return listSkills(project, json);
    case 'check':
      return checkSkills(project, where, { json, strict });
    case 'add':
      if (where === undefined) throw new WrongUsage(`Name a source.\n\n${usage}`);
      return addSkills(project, where, { wanted: skill, all, yes, force, ...(sha256 && { sha256 }) });
    default:
      throw new WrongUsage(`Name a command: list, check or add.\n\n${usage}`);
  }
}
