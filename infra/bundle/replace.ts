/** How the measures in this folder change the source of one file on its way into a bundle. */

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Loader, PluginBuild } from 'esbuild';

/**
 * Bundles what `edit` makes of each file whose path matches. Imports in it are resolved as the original's.
 * A file that a new version of its package has moved or reshaped is bundled as it is: the bundle is then
 * correct and heavier, and the size test in test/infra says so.
 */
export function replace(
  build: PluginBuild,
  path: RegExp,
  edit: (source: string) => string,
  loader: Loader = 'js',
) {
  const filter = new RegExp(path.source.replaceAll('\\/', '[\\\\/]')); // Windows has the other slash
  build.onLoad({ filter }, async (file) => ({
    contents: edit(await readFile(file.path, 'utf8')),
    loader,
    resolveDir: dirname(file.path),
  }));
}
