import ts from '@typescript/typescript6';
import { globToRe2 } from '../plain/glob-pattern.ts';

/** Where the workspace is for the compiler. */
export const ROOT = '/workspace';

const CODE = /\.[cm]?tsx?$/i;

/** The files to compile, and the options. */
interface Config {
  readonly rootNames: readonly string[];
  readonly options: ts.CompilerOptions;
  /** Errors in the project's own settings. */
  readonly wrong: readonly ts.Diagnostic[];
}

/** Defaults for a new project: strict, with imports resolved like bundlers and Node do. */
const strict: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.Preserve,
  allowImportingTsExtensions: true,
};

/** Options that a project cannot change: nothing is written, and declarations of packages are not checked. */
const always: ts.CompilerOptions = {
  noEmit: true,
  skipLibCheck: true,
  incremental: false,
  composite: false,
  declaration: false,
  tsBuildInfoFile: undefined,
  // Settings of older compilers are read as they are.
  ignoreDeprecations: '6.0',
};

/** Errors: nothing to compile, and settings of a package that is not in the workspace. */
const NO_INPUTS = new Set([18002, 18003]);
const MISSING = 6053;

/**
 * How the files of a workspace are compiled: by its `tsconfig.json`, or all of them strictly. Pure.
 *
 * @param texts by path, below {@link ROOT}
 */
export function configOf(texts: ReadonlyMap<string, string>): Config {
  const path = `${ROOT}/tsconfig.json`;
  const text = texts.get(path);
  if (text === undefined) {
    const rootNames = [...texts.keys()].filter((name) => CODE.test(name) && !name.includes('/node_modules/'));
    return { rootNames, options: { ...strict, ...always }, wrong: [] };
  }
  const source = ts.parseJsonText(path, text);
  const parsed = ts.parseJsonSourceFileConfigFileContent(source, hostOf(texts), ROOT, undefined, path);
  const wrong = [...new Set([...parsed.errors])].filter(
    ({ code }) => !NO_INPUTS.has(code) && code !== MISSING,
  );
  return { rootNames: parsed.fileNames, options: { ...parsed.options, ...always }, wrong };
}

function hostOf(texts: ReadonlyMap<string, string>): ts.ParseConfigHost {
  return {
    useCaseSensitiveFileNames: true,
    fileExists: (path) => texts.has(path),
    readFile: (path) => texts.get(path),
    readDirectory(folder, extensions, excludes = [], includes) {
      const prefix = `${folder.replace(/\/+$/, '')}/`;
      const within = (path: string) => path.slice(prefix.length);
      const excluded = [...excludes, '**/node_modules'].map(matcherOf);
      const included = includes.map(matcherOf);
      return [...texts.keys()].filter(
        (path) =>
          path.startsWith(prefix) &&
          extensions.some((extension) => path.endsWith(extension)) &&
          included.some((matches) => matches(within(path))) &&
          !excluded.some((matches) => matches(within(path))),
      );
    },
  };
}

/** A pattern of `include` or `exclude`: for a folder it matches everything in it. */
function matcherOf(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  // A slow pattern is bounded by the thread's time limit.
  const whole = new RegExp(globToRe2(plain.includes('/') ? plain : `./${plain}`));
  const below = new RegExp(globToRe2(`${plain.includes('/') ? plain : `./${plain}`}/**`));
  return (path) => whole.test(path) || below.test(path);
}
