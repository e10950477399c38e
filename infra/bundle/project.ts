/**
 * Resolves imports between a user's modules and this package in a bundle. `#definition` is the user's file. `steploop` and its
 * subpaths are this package, wherever it is installed. There is one zod, the user's, since schemas of two copies do not work
 * together.
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

/** Resolves these imports as if they stood in a file of this folder. If that finds nothing, the usual resolution applies. */
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
