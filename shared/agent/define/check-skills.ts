import { SKILL_TOOL } from '../session/skills.ts';
import { MAX_SKILLS, SKILL_NAME, skillLimits } from '../skills/limits.ts';

/** The parts of an agent that say which skills it may read. */
interface HasSkills {
  readonly skills: readonly string[];
  readonly workspaceSkills: boolean | readonly string[];
  readonly tools: readonly { readonly name: string }[];
}

/** A folder of a workspace: relative, and without `..`. */
const FOLDER = /^(?!\.\.?(?:\/|$))[\w.-]+(?:\/(?!\.\.?(?:\/|$))[\w.-]+)*$/;
/** Folders of a workspace that are searched, and characters of one. */
const MAX_FOLDERS = 10;
const MAX_FOLDER = 200;

/** Why an agent cannot have the skills that it names; undefined if it can. Whether they exist is checked where there is a disk. */
export function wrongSkillNames({ skills, workspaceSkills, tools }: HasSkills): string | undefined {
  const folders = typeof workspaceSkills === 'boolean' ? [] : workspaceSkills;
  const odd = skills.find((name) => name.length > skillLimits.name || !SKILL_NAME.test(name));
  if (odd !== undefined)
    return `skills names ${JSON.stringify(odd)}: name the folder of a skill, which has lowercase letters and digits, with single - between them`;
  const twice = skills.find((name, i) => skills.indexOf(name) !== i);
  if (twice) return `skills names ${twice} twice`;
  if (skills.length > MAX_SKILLS) return `skills has more than ${MAX_SKILLS} names`;
  const outside = folders.find((folder) => folder.length > MAX_FOLDER || !FOLDER.test(folder));
  if (outside !== undefined)
    return `workspaceSkills names ${JSON.stringify(outside)}: name a folder of the workspace, such as docs/skills`;
  if (folders.length > MAX_FOLDERS) return `workspaceSkills has more than ${MAX_FOLDERS} folders`;
  const reads = skills.length > 0 || workspaceSkills === true || folders.length > 0;
  return reads && tools.some(({ name }) => name === SKILL_TOOL)
    ? `the tool that reads skills is named ${SKILL_TOOL}; give your own tool another name`
    : undefined;
}
