import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** What of npm's own variables says where packages come from; the others are about the script that runs these tests. */
const SOURCE = /^npm_config_(registry|cache|cafile|proxy|https_proxy|noproxy|userconfig|globalconfig)$/i;

/**
 * The environment of somebody at a terminal with that Node: nothing of this repository is in their path, and nothing of
 * the npm script and the test runner in their variables.
 */
export function asAPerson(node: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => SOURCE.test(name) || !/^(npm_|VITEST|NODE_ENV$|NODE_OPTIONS$|ANTHROPIC_)/i.test(name),
  );
  const elsewhere = (process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: [dirname(node), ...elsewhere].join(delimiter) };
}

/** The first Node of the path that is not this repository's own. */
export function nodeOfThePath(): string {
  const elsewhere = (process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.includes('node_modules'));
  return elsewhere.map((dir) => join(dir, 'node')).find((path) => existsSync(path)) ?? process.execPath;
}
