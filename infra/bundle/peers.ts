/**
 * Packages that a project installs itself.
 *
 * - Those of an entry: if one is missing, the error names the package. Otherwise esbuild would name a file of this package, which
 *   the user has never opened.
 * - Those that functions load only if the definition uses them: without the package, a function is built without their code.
 *   `definition/packages.ts` reports a definition that needs one.
 */

import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** An entry, the package that it needs, and this package's file that imports it. */
const needed = [
  ['steploop/bash', 'just-bash', /[\\/]tools[\\/]bash[\\/]worker-file\.[tj]s$/],
  ['steploop/typescript', '@typescript/typescript6', /[\\/]tools[\\/]typescript[\\/]worker-file\.[tj]s$/],
  ['steploop/a2a', '@a2a-js/sdk', /[\\/]tools[\\/]a2a[\\/]client\.[tj]s$/],
  ['steploop/mcp', '@modelcontextprotocol/client', /[\\/]tools[\\/]mcp[\\/]client\.[tj]s$/],
] as const;

/** A package, and this package's files that import it. Each is loaded by `import()`. */
const loadedIfUsed = [
  ['stripe', /[\\/]functions[\\/]webhooks[\\/]stripe-sdk\.[tj]s$/],
  ['@modelcontextprotocol/server', /[\\/]functions[\\/]doors[\\/]mcp-sdk\.[tj]s$/],
  ['@a2a-js/sdk', /[\\/]functions[\\/]doors[\\/]a2a-sdk\.[tj]s$/],
  ['openai', /[\\/]shared[\\/]models[\\/](?:openai|responses)[\\/](?:provider|answer)\.[tj]s$/],
] as const;

export const peers: Plugin = {
  name: 'peers',
  setup(build) {
    const isMissing = async (name: string, path: string): Promise<boolean> => {
      const { errors } = await build.resolve(name, {
        kind: 'import-statement',
        resolveDir: dirname(path),
      });
      return errors.length > 0;
    };
    for (const [entry, name, filter] of needed)
      build.onLoad({ filter }, async ({ path }) =>
        (await isMissing(name, path))
          ? { errors: [{ text: `${entry} needs the package ${name}: npm install ${name}` }] }
          : undefined,
      );
    for (const [name, filter] of loadedIfUsed)
      build.onLoad({ filter }, async ({ path }) =>
        (await isMissing(name, path)) ? { contents: absent(name), loader: 'js' } : undefined,
      );
  },
};

/** A module that fails when it is loaded, as Node fails for a package that is missing. */
const absent = (name: string): string =>
  `throw Object.assign(new Error("Cannot find package '${name}'"), { code: 'ERR_MODULE_NOT_FOUND' });`;
