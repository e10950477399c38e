import { type Command, defineCommand, type ExecResult, type ResolvedCommandContext } from 'just-bash';
import type { WorkspaceFs } from './workspace-fs.ts';

/** Files that `node --test` finds by itself, like Node's own runner. */
const TESTS =
  /(?:(?:^|\/)(?:[^/]*[.\-_]test|test(?:-[^/]*)?)|(?:^|\/)test\/(?:.*\/)?[^/]+)\.(?:js|mjs|ts|mts)$/;
/** Flags of Node that change nothing here. */
const HARMLESS =
  /^--(?:experimental-[\w-]+|no-[\w-]*warnings?|disable-warning=.*|strip-types|enable-source-maps|test-(?:reporter|concurrency|timeout)(?:=.*)?|trace-\w+)$/;

const failed = (message: string, exitCode = 1): ExecResult => ({
  stdout: '',
  stderr: `${message}\n`,
  exitCode,
});

/**
 * `node` for the shell: runs JavaScript and TypeScript with js-exec, which is QuickJS in a worker with 64 MB, and
 * `node --test` with the parts of Node's test runner that {@link moduleFor} provides. There is no Node behind it.
 */
export const nodeCommand = (fs: Pick<WorkspaceFs, 'withModules'>): Command =>
  defineCommand('node', (args, context) => fs.withModules(() => node(args, context)));

async function node(args: readonly string[], context: ResolvedCommandContext): Promise<ExecResult> {
  const given = args.filter((arg) => !HARMLESS.test(arg));
  const [first, ...rest] = given;
  if (first === undefined) return failed('node: give a file, -e CODE, or --test');
  if (first === '--version' || first === '-v')
    return { stdout: 'v24.0.0-js-exec (QuickJS in a sandbox, not Node)\n', stderr: '', exitCode: 0 };
  if (first === '-e' || first === '--eval') return js(['-m', '-c', rest[0] ?? '', ...rest.slice(1)], context);
  if (first === '-p' || first === '--print')
    return js(['-m', '-c', `console.log(${rest[0] ?? ''})`, ...rest.slice(1)], context);
  if (given.includes('--test'))
    return runTests(
      given.filter((arg) => arg !== '--test'),
      context,
    );
  if (first.startsWith('-')) return failed(`node: ${first} is not supported here`, 9);
  const path = context.fs.resolvePath(context.cwd, first);
  if (!(await isFile(path, context))) return failed(`node: there is no file ${first}`);
  return (await importsTests(path, context)) ? runFile(path, context) : js([first, ...rest], context);
}

const js = async (args: string[], { exec, cwd }: ResolvedCommandContext): Promise<ExecResult> =>
  (await exec?.('js-exec', { cwd, args })) ?? failed('node: it cannot be started from here');

const isFile = async (path: string, { fs }: ResolvedCommandContext): Promise<boolean> =>
  (await fs.stat(path).catch(() => undefined))?.isFile ?? false;

const importsTests = async (path: string, { fs }: ResolvedCommandContext): Promise<boolean> =>
  /['"]node:test['"]/.test(await fs.readFile(path).catch(() => ''));

/** Runs the file, and then the tests that it has declared. */
const runFile = (path: string, context: ResolvedCommandContext): Promise<ExecResult> =>
  js(
    ['-m', '-c', `import ${JSON.stringify(path)};\nimport { finish } from 'node:test';\nawait finish();`],
    context,
  );

async function runTests(asked: readonly string[], context: ResolvedCommandContext): Promise<ExecResult> {
  const flag = asked.find((arg) => arg.startsWith('-'));
  if (flag) return failed(`node --test: ${flag} is not supported here`, 9);
  const files = await testFiles(asked, context);
  if (typeof files === 'string') return failed(files);
  const ended: ExecResult[] = [];
  let stdout = '';
  let stderr = '';
  for (const file of files) {
    const result = await runFile(file, context);
    ended.push(result);
    stdout += `# ${file}\n${result.stdout}`;
    stderr += result.stderr;
    if (context.signal?.aborted) break;
  }
  const bad = ended.filter(({ exitCode }) => exitCode !== 0).length;
  stdout += `# files ${files.length}, failed ${bad}\n`;
  return { stdout, stderr, exitCode: bad > 0 ? 1 : 0 };
}

async function testFiles(
  asked: readonly string[],
  context: ResolvedCommandContext,
): Promise<string[] | string> {
  const files = context.fs.getAllPaths().filter((path) => !path.includes('/node_modules/'));
  const below = (folder: string) =>
    files.filter((path) => path.startsWith(`${folder === '/' ? '' : folder}/`) && TESTS.test(path)).sort();
  const found: string[] = [];
  for (const one of asked.length > 0 ? asked : ['.']) {
    const path = context.fs.resolvePath(context.cwd, one);
    const inside = (await isFile(path, context)) ? [path] : below(path);
    if (inside.length === 0) return `node --test: there are no tests in ${one}`;
    found.push(...inside);
  }
  return [...new Set(found)];
}
