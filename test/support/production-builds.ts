/**
 * The Markdown parser is the build that bundles have. Vitest asks packages for their builds for developers, and this parser's has
 * assertions and debug logs, which take more than half of its time (https://github.com/micromark/micromark#api).
 */

import { registerHooks } from 'node:module';

const DEVELOPMENT = /(\/node_modules\/(?:micromark|mdast-util)[^/]*)\/dev\//;

const registered = Symbol.for('steploop.production-builds');
const shared = globalThis as { [registered]?: boolean };

// Files of a lane share a process.
if (!shared[registered]) {
  shared[registered] = true;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return { ...found, url: found.url.replace(DEVELOPMENT, '$1/') };
    },
  });
}
