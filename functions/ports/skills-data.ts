import type { DeployedSkill } from '../../shared/agent/skills/skill.ts';

/** The skills of the project. In a bundle they are those of its folder `skills` (`infra/bundle/skills.ts`). */
export const skills: readonly DeployedSkill[] = [];
