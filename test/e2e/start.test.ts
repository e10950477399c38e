import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** `npm start` for a user who reads its output. */
let start: ChildProcess;
const said: string[] = [];
beforeAll(async () => {
  const { ANTHROPIC_API_KEY: _key, ...env } = process.env;
  start = spawn(process.execPath, ['--conditions=@steploop/source', 'cli/demo/start.ts', '--ephemeral'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: start.stdout as NodeJS.ReadableStream })) {
    said.push(line);
    if (line.includes('curl -s')) return;
  }
  throw new Error(`it ended:\n${said.join('\n')}`);
}, 240_000); // it synthesizes, also on a slow machine
afterAll(async () => {
  if (start.exitCode !== null) return;
  start.kill('SIGINT');
  await once(start, 'exit');
});

const printed = (pattern: RegExp) => pattern.exec(said.join('\n'))?.[1] ?? '';

test('npm start prints a development token that opens its API, which nothing else does', async () => {
  const url = `${printed(/HTTP +(\S+)/)}/tickets`;
  const token = printed(/Token +(\S+)/);
  expect(token).toMatch(/^[A-Za-z0-9]{40}$/);
  const status = async (authorization: string) =>
    (await fetch(url, { method: 'POST', headers: { authorization } })).status;
  expect(await status(`Bearer ${token}`)).toBe(201);
  expect(await status(`Bearer ${token.slice(0, -1)}`)).toBe(401);
  expect(await status('')).toBe(401);
});

test.runIf(existsSync('/proc/self/net/tcp'))('npm start listens on the loopback interface only', () => {
  const listening = listeners(start.pid as number);
  // HTTP and WebSocket API, DynamoDB, SQS and S3, Secrets Manager, the model, GitHub.
  expect(listening.length).toBeGreaterThanOrEqual(7);
  expect(listening.filter((address) => !isLoopback(address))).toEqual([]);
});

/** Local addresses on which a process listens, as the kernel writes them (proc(5)). */
function listeners(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map(
      (fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1],
    ),
  );
  const LISTEN = '0A';
  return ['tcp', 'tcp6']
    .map((table) => `/proc/${pid}/net/${table}`)
    .filter(existsSync)
    .flatMap((table) => readFileSync(table, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTEN && inodes.has(inode))
    .map(([, address = '']) => address.split(':')[0] ?? '');
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed since
  }
}

/** 127.0.0.1 and ::1, as words of a little-endian machine. */
const isLoopback = (address: string) => ['0100007F', `${'0'.repeat(24)}01000000`].includes(address);
