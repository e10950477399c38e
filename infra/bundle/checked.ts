/**
 * What the parts of a definition say to each other is checked when it is loaded, before anything is bundled: no cold start
 * checks it again, nor the names of its guards, for which it would read the guards of every session, nor whether an agent's answer can be said as JSON Schema, for which it would read what says so. What its parts
 * are, and their defaults, is still read there. 28 KB.
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
      /\/agent\/define\/check-answer\.[tj]s$/,
      () => 'export const wrongAnswer = () => undefined;',
    );
  },
};
