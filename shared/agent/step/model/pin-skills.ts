/** Pins the skills of a session. Loaded by sessions whose agent has skills. */

import { defined } from '../../plain/defined.ts';
import { canonicalJson } from '../../plain/hash.ts';
import type { Pinned } from '../../session/pinned.ts';
import { type PinnedSkills, SKILL_TOOL } from '../../session/skills.ts';
import { catalogOf } from '../../skills/catalog.ts';
import type { Skill } from '../../skills/skill.ts';
import { keepSkills } from '../../skills/store.ts';
import { skillDeclaration } from '../../tools/skills/declaration.ts';
import type { Step } from '../open/step-context.ts';

/** Folders of the workspace in which skills are looked for: those that other clients use, too. */
const usual = ['.agents/skills', '.claude/skills', 'skills'];

/**
 * The definition with the skills that are deployed now. Their files are stored first, so that later steps of the session read this
 * version, whatever is deployed then. Returns the same definition if nothing changes.
 */
export async function withSkills(
  { agent, skillsOf, io, loaded }: Pick<Step, 'agent' | 'skillsOf' | 'io' | 'loaded'>,
  pinned: Pinned,
): Promise<Pinned> {
  const { skills: names = [], workspaceSkills = false } = agent ?? {};
  const workspace = typeof workspaceSkills !== 'boolean' ? workspaceSkills : workspaceSkills ? usual : [];
  const deployed = names.length > 0 && skillsOf ? await skillsOf(names) : [];
  await keepSkills(loaded.key.tenant, deployed, io.blobs);
  const skills = pinnedOf(deployed, workspace);
  if (canonicalJson(skills ?? null) === canonicalJson(pinned.skills ?? null)) return pinned;
  const bare = withoutSkills(pinned);
  if (!skills) return bare;
  const { system, tools } = bare;
  return {
    ...bare,
    system: `${system}\n\n${skills.catalog}`,
    tools: [...tools, skillDeclaration(skills)],
    skills,
  };
}

/** The definition as it was before its skills were added. */
export function withoutSkills({ skills, ...pinned }: Pinned): Pinned {
  if (!skills) return pinned;
  return {
    ...pinned,
    system: pinned.system.replace(`\n\n${skills.catalog}`, () => ''),
    tools: pinned.tools.filter(({ name }) => name !== SKILL_TOOL),
  };
}

function pinnedOf(deployed: readonly Skill[], workspace: readonly string[]): PinnedSkills | undefined {
  if (deployed.length === 0 && workspace.length === 0) return undefined;
  const list = deployed.map(({ name, hash, compatibility, allowedTools }) => ({
    name,
    hash,
    ...(compatibility && { compatibility }),
    ...defined({ allowedTools }),
  }));
  return {
    catalog: catalogOf(deployed, workspace),
    list,
    ...(workspace.length > 0 && { workspace }),
  };
}
