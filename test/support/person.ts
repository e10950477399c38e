import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The npm variables that say where packages come from. The others describe the script that runs these tests. */
const SOURCE = /^npm_config_(registry|cache|cafile|proxy|https_proxy|noproxy|userconfig|globalconfig)$/i;

/**
 * The environment of a person at a terminal with that Node: the path has nothing of this repository, and the variables
 * have nothing of the npm script and the test runner.
 */
export function asAPerson(node: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => SOURCE.test(name) || !/^(npm_|VITEST|NODE_ENV$|NODE_OPTIONS$|ANTHROPIC_)/i.test(name),
  );
  const elsewhere = (process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: [dirname(node), ...elsewhere].join(delimiter) };
}

/** The first Node in the path that is not this repository's own. */
export function nodeOfThePath(): string {
  const elsewhere = (process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.includes('node_modules'));
  return elsewhere.map((dir) => join(dir, 'node')).find((path) => existsSync(path)) ?? process.execPath;
}
