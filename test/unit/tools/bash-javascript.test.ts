import { describe, expect, it } from 'vitest';
import { bash } from '../../../tools/bash/index.ts';
import { toolSession } from './workspace.fixture.ts';

const sum = 'export const sum = (list: readonly number[]): number => list.reduce((a, b) => a - b, 0);\n';
const test = `import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sum } from '../src/sum.js';

interface Case { readonly list: number[]; readonly is: number }

describe('sum', () => {
  const cases: Case[] = [{ list: [], is: 0 }, { list: [1, 2], is: 3 }];
  for (const { list, is } of cases) test(\`of \${list.length}\`, () => assert.equal(sum(list), is));
  test('later', async () => { await Promise.resolve(); assert.deepEqual({ a: [1] }, { a: [1] }); });
});
`;
const files = {
  'package.json': '{ "scripts": { "test": "node --test" } }',
  'src/sum.ts': sum,
  'test/sum.test.ts': test,
};

type Ran = { exitCode: number; stdout: string; stderr: string };
const run = async (command: string, more: Record<string, string> = {}, seconds = 20) => {
  const session = await toolSession({ ...files, ...more });
  return (await session.call(bash({ timeoutSeconds: seconds }), { command })) as Ran;
};

describe('tests of a repository in TypeScript', () => {
  it.each([
    'npm test',
    'node --test',
    'node --test test/',
    'node test/sum.test.ts',
    'node --experimental-strip-types --test test/sum.test.ts',
  ])('run, and fail, with %s', async (command) => {
    const ran = await run(command);
    expect(ran).toMatchObject({ exitCode: 1, stderr: '' });
    expect(ran.stdout).toContain('✖ of 2');
    expect(ran.stdout).toContain('AssertionError: expected 3, got -3');
    expect(ran.stdout).toContain('/workspace/test/sum.test.ts:9');
    expect(ran.stdout).toContain('# tests 3, pass 2, fail 1');
  });

  it('pass when the tested code is fixed', async () => {
    const ran = await run("sed -i 's/a - b/a + b/' src/sum.ts && npm test");
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain('# tests 3, pass 3, fail 0');
  });

  it('have the features of node:test: hooks, subtests, skip and todo', async () => {
    const hooks = `import { test, it, describe, before, after, beforeEach, afterEach } from 'node:test';
      const seen = [];
      describe('suite', () => {
        before(() => seen.push('before')); after(() => { seen.push('after'); console.log(seen.join(' ')); });
        beforeEach(() => seen.push('each')); afterEach(() => seen.push('end'));
        it('one', () => seen.push('one'));
        it.skip('two', () => seen.push('two'));
        it.todo('three');
        describe('inner', () => { it('four', () => seen.push('four')); });
      });
      test('with subtests', async (t) => { await t.test('fine', () => {}); await t.test('wrong', () => { throw new Error('no'); }); });`;
    const ran = await run('node --test test/hooks.test.js', { 'test/hooks.test.js': hooks });
    expect(ran.stdout).toContain('before each one end each end each four end after');
    expect(ran.stdout).toContain('1 of 2 subtests failed');
    expect(ran).toMatchObject({ exitCode: 1 });
  });

  it.each([
    ['a file with a mistake', 'a.test.ts', 'const = 1;', 1],
    ['an import of what is not there', 'a.test.ts', "import './absent.ts';", 1],
    ['a package', 'a.test.ts', "import x from 'lodash';", 1],
    ['an exception outside of a test', 'a.test.ts', "throw new Error('outside');", 1],
    [
      'a test that waits for ever',
      'a.test.ts',
      "import { test } from 'node:test'; test('x', () => new Promise(() => {}));",
      124,
    ],
    [
      'a test that never ends',
      'a.test.ts',
      "import { test } from 'node:test'; test('x', () => { for (;;); });",
      124,
    ],
    ['a regular expression that explodes', 'a.test.ts', "/(a+)+$/.test('a'.repeat(40) + 'b');", 124],
    [
      'a test that takes all memory',
      'a.test.ts',
      'const all = []; for (;;) all.push(new Array(1e6).fill(1));',
      124,
    ],
  ])('fail with %s, and with nothing else', async (_, path, source, exitCode) => {
    const ran = await run(`node ${path}; echo "code $?"`, { [path]: source }, exitCode === 124 ? 3 : 6);
    expect(ran.stdout + ran.stderr).toContain(exitCode === 124 ? 'imeout' : 'code 1');
  });
});

describe('JavaScript in the shell', () => {
  it.each([
    [
      'the process’s variables',
      'console.log(Object.keys(process.env).filter((k) => /AWS|NODE|SECRET/.test(k)).length)',
      '0\n',
    ],
    ['the machine’s files', "const fs = require('fs'); console.log(fs.existsSync('/etc/passwd'))", 'false\n'],
  ])('does not see %s', async (_, code, said) => {
    expect(await run(`node -e '${code.replaceAll("'", "'\\''")}'`)).toMatchObject({ stdout: said });
  });

  it('reads and writes the workspace', async () => {
    const session = await toolSession(files);
    await session.call(bash(), {
      command: `node -e "import fs from 'node:fs'; fs.writeFileSync('out.json', JSON.stringify({ n: fs.readFileSync('src/sum.ts', 'utf8').length }))"`,
    });
    expect(JSON.parse(await session.text('out.json'))).toEqual({ n: sum.length });
  });

  it('is missing if it is not enabled', async () => {
    const session = await toolSession(files);
    expect(await session.call(bash({ javascript: false }), { command: 'node -e 1' })).toMatchObject({
      exitCode: 127,
    });
  });
});
