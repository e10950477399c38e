import { describe, expect, it } from 'vitest';
import { type BashOptions, bash } from '../../../tools/bash/index.ts';
import { toolSession } from './workspace.fixture.ts';

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function shell(
  files: Record<string, string | Uint8Array> = {},
  options: BashOptions = {},
  fetch?: Parameters<typeof toolSession>[1],
) {
  const session = await toolSession(files, fetch);
  const tool = bash({ timeoutSeconds: 20, ...options });
  return {
    ...session,
    run: async (command: string, signal?: AbortSignal) =>
      (await session.call(tool, { command }, signal)) as Ran,
  };
}

describe('bash', () => {
  it("runs over the files of the workspace, and keeps a script's changes there", async () => {
    const { run, paths, text } = await shell({
      'a.txt': 'one\ntwo\n',
      'b/c.txt': 'three\n',
      'gone.txt': 'x',
      'old.txt': 'moved',
    });
    const ran = await run(
      'pwd; grep -rn o . | sort; sed -i s/one/ONE/ a.txt; rm gone.txt; mv old.txt b/new.txt; mkdir -p d/e; echo hi > d/e/f.txt; echo x > /tmp/y; mkdir empty',
    );
    expect(ran).toEqual({
      exitCode: 0,
      stdout: '/workspace\na.txt:1:one\na.txt:2:two\nold.txt:1:moved\n',
      stderr: '',
    });
    expect(await paths()).toEqual(['a.txt', 'b/c.txt', 'b/new.txt', 'd/e/f.txt']);
    expect([await text('a.txt'), await text('b/new.txt')]).toEqual(['ONE\ntwo\n', 'moved']);
  });

  it('reads only the files that a script reads, and writes only changed ones', async () => {
    const { run, reads, writes } = await shell({ 'a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' });
    await run('ls -l; find . -size +1c; cat a.txt; cp a.txt d.txt; touch b.txt; [ -f c.txt ]');
    expect(reads).toEqual(['a.txt']);
    expect(writes).toEqual(['d.txt']);
  });

  it('returns the exit code and both outputs, of the last command', async () => {
    const { run } = await shell();
    expect(await run('echo out; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(await run('nonsense')).toMatchObject({ exitCode: 127 });
    expect(await run('if')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('keeps bytes as they are', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const { run, workspace } = await shell({ 'a.bin': bytes });
    await run(
      'cp a.bin b.bin; gzip -c a.bin > c.gz; tar -cf d.tar a.bin; gzip -dc c.gz > e.bin; mkdir x; tar -xf d.tar -C x',
    );
    for (const path of ['b.bin', 'e.bin', 'x/a.bin'])
      expect([...(await workspace.read(path))]).toEqual([...bytes]);
  });

  it('is a shell for the guards, and needs approval if it may reach the network', () => {
    expect(bash()).toMatchObject({ effect: 'idempotent', evidence: { shell: true } });
    expect(bash({ hosts: ['example.com'], approval: 'never', where: 'queue' })).toMatchObject({
      effect: 'once',
      approval: 'never',
      where: 'queue',
    });
    expect(() => bash({ hosts: ['https://example.com/'] })).toThrow('is not a host name');
    expect(() => bash({ timeoutSeconds: 1_000 })).toThrow('1 to 240');
  });
});

describe('a malicious script', () => {
  it.each<[string, string, Partial<Ran> | undefined]>([
    [
      'an endless loop',
      'while true; do :; done',
      { exitCode: 126, stderr: 'bash: too many commands executed (>10000)\n' },
    ],
    ['an endless output', 'while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done', { exitCode: 126 }],
    ['yes', 'yes | head -3', undefined],
    ['a fork bomb', ':(){ :|:& };:', { exitCode: 126 }],
    [
      'a file of the machine',
      'cat /etc/passwd /proc/self/environ ~/.aws/credentials',
      { exitCode: 1, stdout: '' },
    ],
    ['a path out of the workspace', 'cat ../../../../etc/passwd', { exitCode: 1, stdout: '' }],
    ['a symbolic link', 'ln -s /etc/passwd p && cat p', { exitCode: 1, stdout: '' }],
    ['a variable of the process', 'env | grep -i -E "secret|aws|token|node_"', { exitCode: 1, stdout: '' }],
    ['a regular expression that explodes', `echo ${'a'.repeat(5_000)}! | grep -E "(a+)+$"`, { exitCode: 1 }],
    ['a string that explodes', 'x=a; for i in $(seq 60); do x=$x$x; done; echo $x', { exitCode: 126 }],
    ['a sequence that explodes', 'seq 1 100000000000', { exitCode: 126 }],
    ['braces that explode', 'echo {1..1000}{1..1000}{1..1000}', { exitCode: 126 }],
    ['a program that explodes', 'awk \'BEGIN{while(1){s = s "x"}}\'', { exitCode: 126 }],
    ['a query that explodes', 'jq -n "[range(1e12)] | length"', { exitCode: 126 }],
    [
      'a command that the interpreter has elsewhere',
      'sqlite3 :memory: "select 1"',
      { exitCode: 127, stderr: 'bash: sqlite3: command not found\n' },
    ],
    ['the network, which there is not', 'curl https://example.com', { exitCode: 127 }],
  ])('gains nothing by %s', async (_, script, ends) => {
    const { run, paths } = await shell({ 'a.txt': 'safe' });
    const ran = await run(script);
    expect(ran).toMatchObject(ends ?? {});
    expect(ran.stdout.length + ran.stderr.length).toBeLessThan(45_000);
    expect(await paths()).toEqual(['a.txt']);
  });

  it('is ended after its time, and the thread of the step stays free meanwhile', async () => {
    const { run } = await shell({ big: 'abc def\n'.repeat(100_000) }, { timeoutSeconds: 2 });
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    const ran = await run('echo kept? > new; while true; do sort big | sort -r | uniq -c; done > out');
    clearInterval(timer);
    expect(ran.exitCode).not.toBe(0);
    expect(turns).toBeGreaterThan(20);
  });

  it('unpacks no more than the limit', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.alloc(300_000_000), { level: 1 });
    const { run, paths } = await shell({ 'bomb.gz': bomb });
    const ran = await run('gzip -d bomb.gz; zcat bomb.gz | wc -c; tar -xzf bomb.gz');
    expect(ran.exitCode).not.toBe(0);
    expect(await paths()).toEqual(['bomb.gz']);
  });

  it('ends with its call, and then nothing of it is kept', async () => {
    const { run, paths } = await shell();
    const signal = AbortSignal.timeout(300);
    expect(await run('echo a > a.txt; sleep 15', signal)).toContain('Error: ');
    expect(await paths()).toEqual([]);
  });

  it('is an error if the workspace refuses one of its files, and then nothing of it is kept', async () => {
    const { run } = await shell({ 'a.txt': 'a' });
    expect(await run('echo b > b.txt; echo c > "$(printf "c\\tc")"')).toMatch(
      /^Error: .* has characters that no file/,
    );
  });
});

describe('bash with hosts', () => {
  const answers = async (url: string | URL, init?: RequestInit) => {
    const { hostname, pathname } = new URL(url);
    if (pathname === '/leave') return Response.redirect('https://evil.test/secret', 302);
    return new Response(`${init?.method} ${hostname} ${init?.body ?? ''}`);
  };
  it('reaches these and no others, wherever they redirect', async () => {
    const { run } = await shell({}, { hosts: ['api.example.com', '*.docs.test'] }, answers);
    expect(await run('curl -s https://api.example.com/x')).toMatchObject({
      exitCode: 0,
      stdout: 'GET api.example.com ',
    });
    expect(await run('curl -s -X POST -d hello https://a.docs.test/')).toMatchObject({
      stdout: 'POST a.docs.test hello',
    });
    for (const url of [
      'https://evil.test/',
      'https://api.example.com/leave',
      'https://api.example.com.evil.test/',
      'http://169.254.169.254/',
    ])
      expect(await run(`curl -sL ${url}`)).toMatchObject({ stdout: '' });
    expect((await run('curl -sSL https://api.example.com/leave')).stderr).toContain(
      'evil.test is not among the hosts',
    );
  });
});
