/** The location of this package: TypeScript in its repository, JavaScript where it is installed. And how its functions are bundled. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with `functions/`, `shared/` and `infra/`. */
export const home = fileURLToPath(new URL('../..', import.meta.url));

/** The extension of its source files. */
const extension = extname(fileURLToPath(import.meta.url));

/** The path of one of its modules, such as `functions/step`. */
export const moduleOf = (name: string): string => join(home, `${name}${extension}`);

/**
 * Whether this package finds another one, where Node looks for it. Its entries are not read: they may be for other conditions
 * than those of this process.
 */
export function isInstalled(name: string): boolean {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(join(folder, name, 'package.json')));
}

/**
 * Environment variable of an app: `1` bundles all functions in one build. `steploop dev` sets it, because a start on a laptop
 * waits for the build, and deployments do not, because their cold starts would be slower.
 */
export const BUNDLE_TOGETHER = 'STEPLOOP_BUNDLE_TOGETHER';
