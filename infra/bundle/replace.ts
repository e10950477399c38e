/** The helper with which the measures in this folder change the source of a file when it is bundled. */

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Loader, PluginBuild } from 'esbuild';

/**
 * Bundles the result of `edit` for each file whose path matches. Its imports are resolved as the original's. If a new version of
 * the package has moved or reshaped a file, it is bundled unchanged: the bundle is then correct and larger, and the size test in
 * test/infra fails.
 */
export function replace(
  build: PluginBuild,
  path: RegExp,
  edit: (source: string) => string,
  loader: Loader = 'js',
) {
  const filter = new RegExp(path.source.replaceAll('\\/', '[\\\\/]')); // Windows uses backslashes
  build.onLoad({ filter }, async (file) => ({
    contents: edit(await readFile(file.path, 'utf8')),
    loader,
    resolveDir: dirname(file.path),
  }));
}
