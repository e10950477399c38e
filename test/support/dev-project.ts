import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { setTimeout as pause } from 'node:timers/promises';

/** A copy of `test/support/shop` outside of this repository, with this package installed as a link. */
export interface DevProject {
  readonly folder: string;
  /** Changes a file as an editor does. */
  edit(file: string, change: (text: string) => string): void;
  /** Runs `steploop dev` in it. */
  dev(args: readonly string[], env?: Readonly<Record<string, string>>): DevRun;
  remove(): void;
}

export interface DevRun {
  /** Everything that it has printed. */
  said(): string;
  /** Resolves with the match when this has been printed, no earlier than at position `after`. */
  says(pattern: RegExp, after?: number): Promise<RegExpExecArray>;
  /** Resolves with the exit code when it has ended. */
  readonly ended: Promise<number | null>;
  /** Ends it as Ctrl-C does. */
  stop(): Promise<number | null>;
}

export function devProject(): DevProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'steploop-shop-')));
  cpSync(join('test', 'support', 'shop'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "shop", "type": "module" }\n');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules', 'steploop'));
  for (const name of ['aws-cdk-lib', 'constructs', 'zod', '@aws-sdk'])
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  return {
    folder,
    edit(file, change) {
      const path = join(folder, file);
      const before = readFileSync(path, 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`nothing was changed in ${file}`);
      writeFileSync(path, after);
    },
    dev: (args, env = {}) => run(folder, args, env),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function run(folder: string, args: readonly string[], env: Readonly<Record<string, string>>): DevRun {
  const { ANTHROPIC_API_KEY: _key, ...own } = process.env;
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=@steploop/source', resolve('cli/main.ts'), 'dev', ...args],
    { cwd: folder, env: { ...own, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    said: () => said,
    ended,
    async says(pattern, after = 0) {
      for (const end = Date.now() + 120_000; Date.now() < end; await pause(20)) {
        const found = pattern.exec(said.slice(after));
        if (found) return found;
        if (child.exitCode !== null) break;
      }
      throw new Error(`it did not say ${pattern}:\n${said}`);
    },
    stop() {
      child.kill('SIGINT');
      return ended;
    },
  };
}
