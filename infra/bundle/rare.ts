/**
 * Defers parts of libraries that few invocations use and that must answer synchronously. Each is a file that its first use loads.
 *
 * - The 2,125 named character references of HTML (`&eacute;`), for Markdown that contains one. 35 KB of the functions that post in Slack.
 * - The adaptive retries of the AWS SDK (`AWS_RETRY_MODE=adaptive`). 3 KB.
 * - MD5 in JavaScript, with which the SQS client checks messages if Node's OpenSSL offers none, as in FIPS mode. 1 KB.
 */

import type { Plugin, PluginBuild } from 'esbuild';
import { later } from './later.ts';
import { replace } from './replace.ts';

export const rareDiet: Plugin = {
  name: 'rare-diet',
  setup(build) {
    later(build, 'character-references', "export * from './index.js';");
    replace(build, /\/decode-named-character-reference\/index\.js$/, () => references);
    laterClass(build, /\/util-retry\/AdaptiveRetryStrategy\.js$/, 'AdaptiveRetryStrategy');
    laterClass(build, /\/checksum\/md5\/Md5Js\.js$/, 'Md5Js');
  },
};

const references = `
  import { later } from 'character-references';
  export const decodeNamedCharacterReference = (name) => later.decodeNamedCharacterReference(name);
`;

/** A file that exports a class of its own name. What `new` returns is an instance of the original. */
function laterClass(build: PluginBuild, path: RegExp, name: string): void {
  later(build, `later-${name}`, `export { ${name} } from './${name}.js';`);
  replace(
    build,
    path,
    () => `
      import { later } from 'later-${name}';
      export function ${name}(...args) { return new later.${name}(...args); }
    `,
  );
}
