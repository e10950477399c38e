/** Builds `create-steploop`: `steploop init` in one file, with its templates. It has no dependencies, so npm fetches nothing else. */

import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * @param {string} root the folder of this repository
 * @param {string} to the folder of the package, with its package.json
 */
export async function buildCreate(root, to) {
  const into = join(to, 'dist');
  const { name, version, peerDependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  rmSync(into, { recursive: true, force: true });
  await build({
    entryPoints: [join(root, 'cli', 'create.ts')],
    outfile: join(into, 'create.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    plugins: [
      {
        // Installed, `cli/manifest.ts` finds the manifest of the package that it is in, and here that is another one.
        name: 'manifest',
        setup: (of) =>
          of.onLoad({ filter: /[\\/]cli[\\/]manifest\.ts$/ }, () => ({
            contents: `export const manifest = ${JSON.stringify({ name, version, peerDependencies, devDependencies })};`,
          })),
      },
    ],
  });
  chmodSync(join(into, 'create.js'), 0o755);
  cpSync(join(root, 'cli', 'init', 'template'), join(into, 'template'), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
}
