import { stripTypeScriptTypes } from 'node:module';
import type { InMemoryFs } from 'just-bash';
import { NODE_ASSERT_STRICT, NODE_TEST } from './node-test.ts';

/** Modules of Node that js-exec lacks, by how a path to them ends: it looks for them as for files. */
const MODULES: readonly (readonly [ending: string, source: string])[] = [
  ['/assert/strict', NODE_ASSERT_STRICT],
  ['/test', NODE_TEST],
];

/** Other files that an import may mean, as bundlers and compilers resolve it: `./a.js` stands for `./a.ts`, `./a` for either. */
const OTHERS: readonly (readonly [ending: RegExp, instead: string])[] = [
  [/\.js$/, '.ts'],
  [/\.mjs$/, '.mts'],
  [/$/, '.ts'],
  [/$/, '.js'],
  [/$/, '/index.ts'],
  [/$/, '/index.js'],
];

/** The JavaScript of a module that has no file at this path; undefined if there is none. */
export async function moduleFor(path: string, fs: InMemoryFs): Promise<string | undefined> {
  const own = MODULES.find(([ending]) => path.endsWith(ending));
  if (own) return own[1];
  for (const [ending, instead] of OTHERS) {
    if (!ending.test(path)) continue;
    const other = path.replace(ending, instead);
    const there = await fs.stat(other).catch(() => undefined);
    if (there?.isFile) return withoutTypes(other, await fs.readFile(other));
  }
  return undefined;
}

const withoutTypes = (path: string, source: string): string =>
  /\.m?ts$/.test(path) ? stripTypeScriptTypes(source) : source;
