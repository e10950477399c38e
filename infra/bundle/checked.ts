/**
 * What the parts of a definition say to each other is checked when it is loaded, before anything is bundled: no cold start
 * checks it again. What its parts are, and their defaults, is still read there. 2 KB.
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
  },
};
