import { type Command, defineCommand, type ExecResult, type ResolvedCommandContext } from 'just-bash';

const said = (stderr: string, exitCode: number): ExecResult => ({
  stdout: '',
  stderr: `${stderr}\n`,
  exitCode,
});

/**
 * `npm test` and `npm run NAME`: run a script of package.json in this shell. There is no registry, so nothing can be
 * installed.
 */
export const npmCommand: Command = defineCommand('npm', async (args, context) => {
  const words = args.filter((arg) => !/^(?:-s|--silent|--)$/.test(arg));
  const name =
    words[0] === 'test' || words[0] === 't'
      ? 'test'
      : /^run(?:-script)?$/.test(words[0] ?? '')
        ? words[1]
        : undefined;
  if (name === undefined)
    return said(
      'npm: there is npm test and npm run NAME here; nothing can be installed, there is no registry',
      1,
    );
  const script = await scriptOf(name, context);
  if (script === undefined) return said(`npm: package.json has no script ${JSON.stringify(name)}`, 1);
  const rest = words.slice(name === 'test' && words[0] !== 'run' ? 1 : 2);
  const result = await context.exec?.([script, ...rest.map(quoted)].join(' '), { cwd: context.cwd });
  return result ?? said('npm: it cannot be started from here', 1);
});

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

async function scriptOf(name: string, { fs, cwd }: ResolvedCommandContext): Promise<string | undefined> {
  try {
    const { scripts } = JSON.parse(await fs.readFile(fs.resolvePath(cwd, 'package.json')));
    return typeof scripts === 'object' && scripts !== null && Object.hasOwn(scripts, name)
      ? String(scripts[name])
      : undefined;
  } catch {
    return undefined;
  }
}
