/**
 * A file of the AWS SDK that only re-exports others, a barrel, re-exports to each importer only the names that it imports.
 *
 * When two parts of a bundle import a barrel, esbuild leaves out unused names. But a name that only a lazy chunk uses is put
 * where both find it, and a cold start reads it. Every function read the protocol code of REST services that way, for the sockets
 * that it may write to later; DynamoDB and SQS are not REST services. 11 KB.
 */

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

export const barrelsDiet: Plugin = {
  name: 'barrels-diet',
  setup(build) {
    const again = Symbol('again');
    build.onResolve(
      { filter: BARREL },
      async ({ path, kind, importer, namespace, resolveDir, pluginData }) => {
        if (pluginData === again || !/[\\/]dist-es[\\/]/.test(importer)) return undefined;
        const barrel = await build.resolve(path, { kind, importer, resolveDir, pluginData: again });
        if (barrel.errors.length > 0) return undefined;
        const asking = namespace === 'barrel' ? pluginData : await readFile(importer, 'utf8');
        const contents = passedOn(await readFile(barrel.path, 'utf8'), asking);
        return contents === undefined
          ? undefined
          : {
              path: `${barrel.path} for ${importer}`,
              namespace: 'barrel',
              pluginData: { contents, resolveDir: dirname(barrel.path), pluginData: contents },
              sideEffects: false,
            };
      },
    );
    build.onLoad({ filter: /.*/, namespace: 'barrel' }, ({ pluginData }) => pluginData);
  },
};

const BARREL = /^@(?:aws-sdk|smithy)\/core\/protocols$/;

/** The barrel's names that occur in the importing source. Undefined if the barrel does more than re-export, or if all of it is imported. */
function passedOn(barrel: string, asking: string): string | undefined {
  const lines = barrel.split('\n').filter((line) => line !== '');
  if (/(?:im|ex)port \* .*\/core\/protocols"/.test(asking)) return undefined;
  if (!lines.every((line) => PASSES_ON.test(line))) return undefined;
  const wanted = new Set(asking.match(/\w+/g));
  return lines
    .map((line) => {
      const [, names = '', from] = PASSES_ON.exec(line) ?? [];
      const named = names.match(/\w+/g)?.filter((name) => wanted.has(name)) ?? [];
      return named.length > 0 ? `export { ${named.join(', ')} } from ${from};` : '';
    })
    .join('\n');
}

const PASSES_ON = /^export \{([\w, ]+)\} from ("[^"]+");$/;
