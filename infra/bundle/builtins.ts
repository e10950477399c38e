/**
 * Node's own modules, loaded by `process.getBuiltinModule` instead of `import`.
 *
 * Importing one as an ES module reads all its exports, and some of those load more: `node:http` has `WebSocket`, which loads
 * Node's whole HTTP client for `fetch`, so the import takes 32 ms and the call 4. The AWS SDK imports it for plain HTTP only, so
 * on Lambda the step function gains nothing; a tool or a library that imports it at the top does. It also makes the
 * `createRequire` banner unnecessary for CommonJS in a bundle.
 *
 * A dynamic import stays one: the replacement of a module has a default export and no names, and the AWS SDK's store of
 * invocations imports one dynamically if several invocations share an environment.
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
