import { oddSkills } from './odd.ts';
import { ordinarySkills } from './ordinary.ts';

export { type SkillFixture, skillFile, writeSkills } from './fixture.ts';
export { oddSkills, ordinarySkills };

/** Thirty skills in the open format, odd ones included. */
export const allSkills = [...ordinarySkills, ...oddSkills];
