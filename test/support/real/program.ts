import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/** A program that runs beside the test. */
export interface Program {
  readonly pid: number;
  /** The lines of its output. */
  readonly lines: readonly string[];
  /** Resolves with its exit code or signal. */
  readonly ended: Promise<number | string>;
  /** Sends SIGTERM, and SIGKILL to all its processes after 5 s. Resolves when it has ended. */
  stop(): Promise<number | string>;
}

const PATIENCE_MS = 5_000;

/** Starts a program in a process group of its own, so that nothing that it starts is left behind. */
export function startProgram(
  [command = '', ...args]: readonly string[],
  { env, cwd, onLine }: { env?: NodeJS.ProcessEnv; cwd?: string; onLine?: (line: string) => void } = {},
): Program {
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      onLine?.(line);
    });
  const ended = endOf(child);
  process.once('exit', () => killGroup(child.pid));
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, pause(PATIENCE_MS, undefined, { ref: false })]);
      killGroup(child.pid);
      return ended;
    },
  };
}

async function endOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = await Promise.race([
    once(child, 'exit'),
    once(child, 'error').then(([error]) => [String(error)]),
  ]);
  return code ?? signal;
}

/** Ends what is left of the group of a program. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Resolves when something listens on the port. Rejects when the program ends, or after `seconds`. */
export async function listening(program: Program, port: number, seconds = 60): Promise<void> {
  const end = await Promise.race([program.ended, until(() => connects(port), seconds)]);
  if (end !== true)
    throw new Error(`nothing listens on port ${port}: ${program.lines.slice(-10).join('\n')}`);
}

async function until(holds: () => Promise<boolean>, seconds: number): Promise<boolean> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(20))
    if (await holds()) return true;
  return false;
}

const connects = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('connect', () => socket.destroy()).on('error', () => resolve(false));
  });
