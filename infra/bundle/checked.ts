/**
 * What the parts of a definition say to each other is checked when it is loaded, before anything is bundled: no cold start
 * checks it again, nor whether an agent's answer can be said as JSON Schema, for which it would read what says so. What its parts
 * are, and their defaults, is still read there. 2 KB.
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
    replace(
      build,
      /\/agent\/define\/check-answer\.[tj]s$/,
      () => 'export const wrongAnswer = () => undefined;',
    );
  },
};
