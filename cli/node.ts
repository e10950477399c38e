/** Runs agents on Lambda's version of Node, whatever version the person uses. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Failed } from './ends.ts';

/** Lambda's `nodejs24.x`: the functions are bundled for it. */
const MAJOR = 24;

/** Whether agents can run on the Node of this process, so that a project needs none of its own. */
export const isNode24 = (version: string = process.versions.node): boolean =>
  Number(version.split('.')[0]) >= MAJOR;

/**
 * Continues here if this Node is new enough. Otherwise it starts the same command again on the project's own Node, the package
 * `node`. Resolves with the exit code. Rejects with {@link Failed} if the project has none.
 */
export async function onNode24(goOn: () => Promise<number>): Promise<number> {
  if (isNode24()) return goOn();
  const node = projectsNode(process.cwd());
  if (!node)
    throw new Failed(
      `Agents run on Node ${MAJOR}, as on Lambda, and this is ${process.version}. Install it in your project: npm install --save-dev node@${MAJOR}`,
    );
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A Ctrl-C in a terminal reaches both processes; a signal to this process alone must be forwarded.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const handOn = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of signals) process.on(signal, signal === 'SIGINT' ? () => undefined : handOn);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** The binary of the package `node` in a folder's project. */
function projectsNode(folder: string): string | undefined {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('node/package.json');
    const binary = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}
