import type { PinnedSkill } from '../session/skills.ts';

/** The facts in a skill's front matter. */
export interface SkillFacts extends Omit<PinnedSkill, 'hash'> {
  /** Its purpose, and when to use it: the text by which a model chooses it. */
  readonly description: string;
  readonly license?: string;
}

/** A skill in one version. */
export type Skill = SkillFacts & PinnedSkill;

/** A skill that is deployed with the agents. */
export interface DeployedSkill extends Skill {
  /** Its files, as `pack.ts` writes them. Read only if they are not stored yet. */
  pack(): Promise<string>;
}
