/**
 * Packages that a project installs itself when it uses an entry that needs them. If one is missing, the error names the package.
 * Otherwise esbuild would name a file of this package, which the user has never opened.
 */

import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** An entry, the package that it needs, and this package's file that imports it. */
const needed = [
  ['steploop/bash', 'just-bash', /[\\/]tools[\\/]bash[\\/]worker-file\.[tj]s$/],
  ['steploop/typescript', '@typescript/typescript6', /[\\/]tools[\\/]typescript[\\/]worker-file\.[tj]s$/],
  ['steploop/mcp', '@modelcontextprotocol/client', /[\\/]tools[\\/]mcp[\\/]client\.[tj]s$/],
] as const;

export const peers: Plugin = {
  name: 'peers',
  setup(build) {
    for (const [entry, name, filter] of needed)
      build.onLoad({ filter }, async ({ path }) => {
        const { errors } = await build.resolve(name, {
          kind: 'import-statement',
          resolveDir: dirname(path),
        });
        if (errors.length === 0) return undefined;
        return { errors: [{ text: `${entry} needs the package ${name}: npm install ${name}` }] };
      });
  },
};
