/**
 * Node's own modules, got by `process.getBuiltinModule` instead of `import`.
 *
 * Importing one as an ES module reads all its exports, and some of those load more: `node:http` has
 * `WebSocket`, which loads Node's whole HTTP client for `fetch`, so the import takes 32 ms and the call 4.
 * The AWS SDK imports it for plain HTTP only, so on Lambda the step function gains nothing; a tool or a
 * library that imports it at the top does. It also spares CommonJS in a bundle the `createRequire` banner.
 *
 * A dynamic import stays one: of what stands here in a module's place it would see a default export and no names, and the
 * store of invocations of the AWS SDK asks for one where several share an environment.
 */

import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

export const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: /^[\w:/]+$/ }, ({ path, namespace, kind }) => {
      if (namespace !== 'file' || !isBuiltin(path)) return undefined;
      return kind === 'dynamic-import' ? { path, external: true } : { path, namespace: 'builtin' };
    });
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
      loader: 'js',
    }));
  },
};
