import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The official everything server, in a separate process. */
export interface Everything extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/mcp` */
  readonly url: string;
}

const script = fileURLToPath(new URL('everything-server.mjs', import.meta.url));

/** @param port of a server that restarts at its old address */
export async function everything(port = 0): Promise<Everything> {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, MCP_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let at: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    at = /^port (\d+)$/.exec(line)?.[1];
    if (at) break;
  }
  child.stdout.resume();
  if (!at) throw new Error('the everything server did not start');
  return {
    url: `http://127.0.0.1:${at}/mcp`,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
