import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Embedded } from './embedded.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** Runs a command of `steploop` against an embedded stack, to its end. */
export async function runCli(world: Embedded, args: readonly string[], input = '') {
  const child = spawn(process.execPath, ['--conditions=@steploop/source', main, ...args], {
    env: { ...process.env, STEPLOOP_URL: world.stack.outputs.HttpUrl, STEPLOOP_TOKEN: world.token },
  });
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = child.exitCode ?? (await new Promise<number>((resolve) => child.once('close', resolve)));
  return { out, err, code };
}
