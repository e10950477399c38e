import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** Scripts that run a program of this repository; the others run a package's. Hooks such as `prestart` take no arguments. */
const own = Object.entries(scripts).filter(
  ([name, command]) => command.startsWith('node ') && !/^pre[a-z]+$/.test(name),
);
const benches = own.filter(([name]) => name.startsWith('bench:')).map(([name]) => name);

async function run(name: string, ...args: string[]) {
  const { ANTHROPIC_API_KEY: _, ...env } = process.env;
  const [, ...command] = (scripts[name] ?? '').split(' ');
  const child = spawn(process.execPath, [...command, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { out, err, code };
}

describe.each(own)('npm run %s', (name) => {
  test('explains itself with --help, and does nothing else', async () => {
    const { out, err, code } = await run(name, '--help');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(out).toMatch(/^(npm (run [a-z:]+|start)|steploop [a-z]+)/);
    expect(out.trim().split('\n').length).toBeGreaterThan(1);
  });

  test.skipIf(name === 'build')('refuses an unknown option with a sentence', async () => {
    const { out, err, code } = await run(name, '--no-such-option');
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toContain('--no-such-option');
    expect(err).not.toMatch(/^ {4}at /m);
  });
});

describe('in a small form, so that each command of README.md runs', () => {
  test.each(benches)('npm run %s -- --smoke', { timeout: 240_000 }, async (name) => {
    const { out, code, err } = await run(name, '--smoke');
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out.length).toBeGreaterThan(100);
    expect(out).not.toMatch(/NaN|undefined/);
  });

  test.each(['--limited', '--sweep', '--real'])('npm run bench:scale -- --smoke %s', async (which) => {
    const { out, code, err } = await run('bench:scale', '--smoke', which);
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out).not.toMatch(/NaN|undefined/);
  });

  test('npm run sim -- --seeds 20', async () => {
    const { out, code } = await run('sim', '--seeds', '20');
    expect(code).toBe(0);
    expect(out).toMatch(/seeds=20 .*violations=0/);
  });
});
