import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A project outside of this repository, with this package installed as a link. */
export interface EvalProject extends Disposable {
  readonly folder: string;
  read(file: string): string;
  write(file: string, text: string): void;
  /** Changes a file. Throws if that changes nothing. */
  edit(file: string, find: string | RegExp, by: string): void;
  /** Runs `steploop` in it, to its end; `started` gets the process. */
  steploop(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
    started?: (child: ChildProcess) => void,
  ): Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** @param of folders and files to copy, as `from: to` */
export function evalProject(of: Readonly<Record<string, string>>): EvalProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'steploop-evals-')));
  for (const [from, to] of Object.entries(of)) cpSync(from, join(folder, to), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "mine", "type": "module" }\n');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules', 'steploop'));
  symlinkSync(resolve('node_modules', 'zod'), join(folder, 'node_modules', 'zod'));
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const { ANTHROPIC_API_KEY: _key, STEPLOOP_URL: _url, FORCE_COLOR: _color, ...environment } = process.env;
  return {
    folder,
    read,
    write,
    edit(file, find, by) {
      const after = read(file).replace(find, by);
      if (after === read(file)) throw new Error(`nothing was changed in ${file}`);
      write(file, after);
    },
    steploop(args, env = {}, started = () => {}) {
      const child = spawn(
        process.execPath,
        ['--conditions=@steploop/source', resolve('cli', 'main.ts'), ...args],
        {
          cwd: folder,
          env: { ...environment, NO_COLOR: '1', ...env },
        },
      );
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text;
      });
      started(child);
      return new Promise((done, reject) => {
        child.once('error', reject);
        child.once('close', (code) => done({ code, stdout, stderr }));
      });
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
