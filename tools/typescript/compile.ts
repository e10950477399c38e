import ts from '@typescript/typescript6';
import { configOf, ROOT } from './config.ts';
import { libOf } from './libs.ts';
import type { Compiled } from './protocol.ts';

/** Most errors that are listed, and most characters of one. */
const MAX_ERRORS = 50;
const MAX_CHARS = 500;

/** Virtual folder of the language's declarations. */
const LIBS = '/typescript';
/** Declarations for Node and its environment, if the workspace has none. */
const AMBIENT = '/ambient.d.ts';
const ambient = `declare module 'node:*';
declare var process: any; declare var Buffer: any; declare var global: any; declare var require: any; declare var module: any;
declare var exports: any; declare var __dirname: string; declare var __filename: string; declare var setImmediate: any;
interface ImportMeta { dirname: string; filename: string; main: boolean; url: string; resolve(name: string): string; env: any }
`;

/** Errors about packages that are missing from the workspace, where nothing is installed. */
const NOT_FOUND: ReadonlySet<number> = new Set([2307, 2688, 2792, 2875, 7016]);
/** Package names: not a path, and not a file of the workspace. */
const BARE = /'(?![./])[^']+'/;

/**
 * Compiles files like `tsc --noEmit`. Pure.
 *
 * @param files texts by path
 */
export function compile(files: ReadonlyMap<string, string>): Compiled {
  const texts = new Map([...files].map(([path, text]) => [`${ROOT}/${path}`, text]));
  const { rootNames, options, wrong } = configOf(texts);
  const hasNode = [...files.keys()].some((path) => path.startsWith('node_modules/@types/node/'));
  if (!hasNode) texts.set(AMBIENT, ambient);
  if (rootNames.length === 0) return toCompiled(wrong);
  const program = ts.createProgram({
    rootNames: hasNode ? rootNames : [...rootNames, AMBIENT],
    options,
    host: hostOf(texts),
  });
  const found = ts.getPreEmitDiagnostics(program).filter((one) => !isOfMissingPackage(one));
  return toCompiled([...wrong, ...found]);
}

const isOfMissingPackage = ({ code, messageText }: ts.Diagnostic): boolean =>
  NOT_FOUND.has(code) && BARE.test(ts.flattenDiagnosticMessageText(messageText, ' '));

function toCompiled(found: readonly ts.Diagnostic[]): Compiled {
  const errors = found.filter(({ category }) => category === ts.DiagnosticCategory.Error).map(lineOf);
  return { exitCode: errors.length > 0 ? 2 : 0, errors: errors.slice(0, MAX_ERRORS), count: errors.length };
}

function lineOf({ file, start, code, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, ' ');
  const said = `error TS${code}: ${text}`.slice(0, MAX_CHARS).toWellFormed();
  if (!file || start === undefined) return said;
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  return `${file.fileName.replace(`${ROOT}/`, '')}(${line + 1},${character + 1}): ${said}`;
}

function hostOf(texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const textOf = (path: string): string | undefined =>
    texts.get(path) ?? (path.startsWith(`${LIBS}/`) ? libOf(path.slice(LIBS.length + 1)) : undefined);
  const folders = new Set<string>();
  for (const path of texts.keys())
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at));
  return {
    fileExists: (path) => textOf(path) !== undefined,
    readFile: textOf,
    directoryExists: (path) => folders.has(path) || path === LIBS,
    getDirectories: (path) => [
      ...new Set(
        [...folders].flatMap((folder) =>
          folder.startsWith(`${path}/`) ? [folder.slice(path.length + 1).split('/')[0] ?? ''] : [],
        ),
      ),
    ],
    getSourceFile(path, languageVersion) {
      const text = textOf(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, languageVersion);
    },
    getDefaultLibFileName: (options) => `${LIBS}/${ts.getDefaultLibFileName(options)}`,
    getDefaultLibLocation: () => LIBS,
    getCurrentDirectory: () => ROOT,
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    writeFile: () => undefined,
  };
}
