import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A child process of this benchmark, which ends when its input is closed. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** The first line that it prints. Rejects if it ends without one. */
  readonly said: Promise<string>;
}

/** @param file next to this one */
export function child(file: string, ...args: readonly string[]): Child {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const started: ChildProcess = spawn(process.execPath, ['--conditions=@steploop/source', path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = new Promise<void>((resolve) => started.once('exit', () => resolve()));
  const { stdout } = started;
  if (!stdout || started.pid === undefined) throw new Error(`${file} does not start`);
  const said = new Promise<string>((resolve, reject) => {
    createInterface({ input: stdout }).once('line', resolve);
    void ended.then(() => reject(new Error(`${file} has ended`)));
  });
  return {
    pid: started.pid,
    said,
    async [Symbol.asyncDispose]() {
      started.stdin?.end();
      await ended;
    },
  };
}
