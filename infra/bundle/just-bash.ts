/**
 * The shell of `steploop/bash` in a bundle: two threads, each in its own file, which is loaded when a script runs.
 *
 * - The thread of a script contains `just-bash`, without the parts that a Lambda function cannot have or the tool does not use:
 *   compressors in native code, a database and Python with files of their own, a second HTTP client.
 * - The thread that it starts for JavaScript is a file next to the library, and reads QuickJS as WebAssembly. Here the engine is
 *   included in it.
 *
 * All functions that are built with the same options share the threads, so they are bundled once.
 */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { home, moduleOf } from '../definition/source.ts';
import { onceEach } from './once-each.ts';
import { replace } from './replace.ts';

export function justBash(): Plugin {
  const thread = onceEach((path) =>
    path.endsWith('of-a-script.mjs') ? scriptThread() : javascriptThread(dirname(path)),
  );
  return {
    name: 'just-bash',
    setup(outer) {
      replace(outer, /\/tools\/bash\/worker-file\.[tj]s$/, () => files);
      outer.onResolve({ filter: /^the-thread-of-/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, `${path}.mjs`),
        namespace: 'thread',
      }));
      outer.onLoad({ filter: /.*/, namespace: 'thread' }, async ({ path }) => ({
        contents: await thread(path),
        loader: 'file',
      }));
    },
  };
}

/** A definition outside of this project finds our packages too. */
const packages = join(home, 'node_modules');

/** The bundled version of `tools/bash/worker-file.ts`. */
const files = `
  import script from 'the-thread-of-a-script';
  import javascript from 'the-thread-of-javascript';
  export const workers = {
    shell: new URL(script, import.meta.url),
    jsExec: new URL(javascript, import.meta.url).href,
  };
`;

const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  legalComments: 'none',
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  write: false,
  logLevel: 'warning',
} satisfies BuildOptions;

async function scriptThread(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [moduleOf('tools/bash/worker')],
    nodePaths: [packages],
    plugins: [withoutTheRest],
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

const withoutTheRest: Plugin = {
  name: 'without-the-rest',
  setup(inner) {
    inner.onResolve({ filter: NEVER_USED }, ({ path, importer }) =>
      /[\\/]just-bash[\\/]dist[\\/]/.test(importer) ? { path, namespace: 'absent' } : undefined,
    );
    inner.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: "throw new Error('it is not available here');",
    }));
    replace(inner, /\/just-bash\/dist\/bundle\/chunks\/js-exec-[A-Z0-9]+\.js$/, withOwnThread);
  },
};

const NEVER_USED =
  /^(?:@mongodb-js\/zstd|node-liblzma|sql\.js|turndown|\.\/(?:chunks\/)?(?:sqlite3|python3|undici|html-to-markdown)-[A-Z0-9]+\.js)$/;

const THREAD = 'new URL("./js-exec-worker.js",import.meta.url)';

/**
 * A version that starts its thread in another way is bundled unchanged: then JavaScript does not run, and a test in test/infra
 * reports it.
 */
const withOwnThread = (source: string): string =>
  source.includes(THREAD)
    ? `import { workerData } from 'node:worker_threads';\n${source.replace(THREAD, 'new URL(workerData.jsExecWorker)')}`
    : source;

async function javascriptThread(folder: string): Promise<Uint8Array> {
  const library = dirname(locate('just-bash', folder, home));
  const emscripten = locate('quickjs-emscripten', library);
  const source = await readFile(join(library, 'chunks', 'js-exec-worker.js'), 'utf8');
  const { outputFiles } = await build({
    ...common,
    stdin: { contents: source.replace(ENGINE, withEngine), resolveDir: library },
    loader: { '.wasm': 'binary' },
    alias: { 'quickjs.wasm': locate('@jitl/quickjs-wasmfile-release-sync/wasm', dirname(emscripten)) },
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/** The file of an import, resolved from one of these folders. */
const locate = (name: string, ...paths: string[]): string =>
  createRequire(import.meta.url).resolve(name, { paths });

const ENGINE = /import \{\s*getQuickJS\s*\} from "quickjs-emscripten";/;
const withEngine = `
  import { newQuickJSWASMModule, newVariant, RELEASE_SYNC } from 'quickjs-emscripten';
  import wasmBinary from 'quickjs.wasm';
  const getQuickJS = () => newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmBinary: wasmBinary.buffer }));
`;
