/**
 * `import { z } from 'zod'` as `import * as z from 'zod'`, in our code and in agents.
 *
 * They mean the same, but of an object called `z` esbuild must keep every member, and of a namespace only
 * those that are used: fifty languages less, and much else. One such import anywhere, in an agent say, costs
 * 373 KB and 11 ms. Our own code spares it by writing the latter.
 */

import type { Plugin } from 'esbuild';
import { replace } from './replace.ts';

export const zodDiet: Plugin = {
  name: 'zod-diet',
  setup(build) {
    replace(build, /\.ts$/, asNamespace, 'ts');
  },
};

function asNamespace(source: string): string {
  return source.replace(/^import \{ z \} from (['"])zod\1;?/gm, "import * as z from 'zod';");
}
