/**
 * Removes checks from the bundle that have already run. References between the parts of a definition are checked when it is
 * loaded, before anything is bundled. So a cold start does not check them again, nor the names of its guards, nor the names of
 * its skills, nor whether an agent's answer can be written as JSON Schema, and it does not load the code for that. The parts themselves and their defaults
 * are still parsed there. 28 KB.
 */

import type { Plugin } from 'esbuild';
import { replace } from './replace.ts';

export const checkedDiet: Plugin = {
  name: 'checked-diet',
  setup(build) {
    replace(
      build,
      /\/agent\/define\/check-deployment\.[tj]s$/,
      () => 'export const checkDeployment = () => [];',
    );
    replace(
      build,
      /\/agent\/define\/check-command\.[tj]s$/,
      () => 'export const wrongCommand = () => undefined;',
    );
    replace(build, /\/agent\/define\/check-guards\.[tj]s$/, () => 'export const wrongGuards = () => [];');
    replace(
      build,
      /\/agent\/define\/check-skills\.[tj]s$/,
      () => 'export const wrongSkillNames = () => undefined;',
    );
    replace(
      build,
      /\/agent\/define\/check-answer\.[tj]s$/,
      () => 'export const wrongAnswer = () => undefined;',
    );
  },
};
