/**
 * Packages that a project installs for itself when it uses an entry that needs them. Where one is not there, the project is told which:
 * else esbuild would name a file of this package, which nobody has opened.
 */

import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** An entry, the package that it needs, and the file of ours that has it. */
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
