/**
 * Modules of a library that are loaded synchronously when one of their functions is first called.
 *
 * An `import()` returns a promise, which does not help where a library must answer synchronously. Such modules become one
 * CommonJS file next to the bundle, with everything that they need, and their callers require it on first use.
 */

import { join } from 'node:path';
import { build, type PluginBuild } from 'esbuild';

/**
 * In bundles, `import { later } from <name>` gives the exports of `source`, functions only; reading one of them loads the file.
 *
 * @param source an ES module; its imports are resolved as those of the file that imports `name`
 */
export function later(outer: PluginBuild, name: string, source: string): void {
  const [module, file] = [`later-${name}`, `${name}-file`];
  outer.onResolve({ filter: new RegExp(`^${name}$`) }, ({ resolveDir }) => ({
    path: join(resolveDir, name),
    namespace: module,
    pluginData: resolveDir,
    sideEffects: false,
  }));
  outer.onLoad({ filter: /.*/, namespace: module }, ({ pluginData }) => ({ contents: loading, pluginData }));
  outer.onResolve({ filter: /^the-file$/, namespace: module }, ({ importer, pluginData }) => ({
    path: `${importer}.cjs`,
    namespace: file,
    pluginData,
  }));
  outer.onLoad({ filter: /.*/, namespace: file }, async ({ pluginData }) => ({
    contents: await alone(source, pluginData),
    loader: 'file',
  }));
}

const loading = `
  import file from 'the-file';
  let loaded;
  const load = () => process.getBuiltinModule('node:module').createRequire(import.meta.url)(file);
  export const later = /* @__PURE__ */ new Proxy({}, { get: (_, name) => (loaded ??= load())[name] });
`;

async function alone(contents: string, resolveDir: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}
