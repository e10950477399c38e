/**
 * How a user's modules and ours find each other in a bundle: `#definition` is theirs, `steploop` and what is below it are this package,
 * wherever it is installed, and there is one zod, theirs, since schemas of one are strangers to another.
 */

import { dirname } from 'node:path';
import type { Plugin, PluginBuild } from 'esbuild';
import { home, moduleOf } from '../definition/source.ts';

/** @param definition path of the definition */
export const project = (definition: string): Plugin => ({
  name: 'project',
  setup(build) {
    from(build, /^#definition$/, () => definition, dirname(definition));
    from(build, /^steploop$/, () => moduleOf('shared/agent/define/index'), home);
    from(build, /^steploop\/tools$/, () => moduleOf('tools/index'), home);
    from(
      build,
      /^steploop\/(?:bash|mcp|typescript)$/,
      (path) => moduleOf(`tools/${path.slice(9)}/index`),
      home,
    );
    from(build, /^zod(\/|$)/, (path) => path, dirname(definition));
  },
});

/** Resolves these imports as if they stood in a file of this folder. Where that finds nothing, they are resolved as ever. */
function from(
  build: PluginBuild,
  filter: RegExp,
  pathOf: (path: string) => string,
  resolveDir: string,
): void {
  const again = Symbol('again');
  build.onResolve({ filter }, async ({ path, kind, pluginData }) => {
    if (pluginData === again) return undefined;
    const found = await build.resolve(pathOf(path), { kind, resolveDir, pluginData: again });
    return found.errors.length > 0 ? undefined : found;
  });
}
