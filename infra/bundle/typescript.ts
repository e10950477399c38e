/**
 * The compiler of `steploop/typescript` in a bundle: a thread in its own file, which is loaded when something is compiled. It
 * includes the declarations of the language, which elsewhere are files next to the library. It is bundled once for all functions
 * that are built with the same options.
 */

import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { home, moduleOf } from '../definition/source.ts';
import { onceEach } from './once-each.ts';
import { replace } from './replace.ts';

export function typescript(): Plugin {
  const thread = onceEach((path) => compilerThread(dirname(path)));
  return {
    name: 'typescript',
    setup(outer) {
      replace(outer, /\/tools\/typescript\/worker-file\.[tj]s$/, () => file);
      outer.onResolve({ filter: /^the-compiler$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, `${path}.cjs`),
        namespace: 'compiler',
      }));
      outer.onLoad({ filter: /.*/, namespace: 'compiler' }, async ({ path }) => ({
        contents: await thread(path),
        loader: 'file',
      }));
    },
  };
}

/** The bundled version of `tools/typescript/worker-file.ts`. */
const file = `
  import compiler from 'the-compiler';
  export const worker = new URL(compiler, import.meta.url);
`;

async function compilerThread(folder: string): Promise<Uint8Array> {
  const declarations = await declarationsFrom(folder);
  const { outputFiles } = await build({
    entryPoints: [moduleOf('tools/typescript/worker')],
    bundle: true,
    platform: 'node',
    target: 'node24',
    // The library reads the location of its file.
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    // A definition outside of this project finds our packages too.
    nodePaths: [join(home, 'node_modules')],
    write: false,
    logLevel: 'warning',
    plugins: [withDeclarations(declarations)],
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

const withDeclarations = (declarations: Readonly<Record<string, string>>): Plugin => ({
  name: 'with-declarations',
  setup(inner) {
    replace(
      inner,
      /\/tools\/typescript\/libs\.[tj]s$/,
      () =>
        `const libs = ${JSON.stringify(declarations)}; export const libOf = (name) => Object.hasOwn(libs, name) ? libs[name] : undefined;`,
    );
  },
});

/** The declarations of the language, by file name. */
async function declarationsFrom(folder: string): Promise<Record<string, string>> {
  const entry = createRequire(import.meta.url).resolve('@typescript/typescript6', { paths: [folder, home] });
  const library = dirname(createRequire(entry).resolve('@typescript/old'));
  const names = (await readdir(library)).filter((name) => /^lib\.[\w.]*d\.ts$/.test(name));
  const texts = names.map(async (name) => [name, await readFile(join(library, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
