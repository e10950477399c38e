import { each, failed, one, type Run, rounds } from './run.ts';

const shell = { effect: 'once', evidence: { shell: true } } as const;
const files = { read_file: 'read', edit_file: 'once', write_file: 'once', run_tests: 'idempotent' } as const;
const source = (i: number) => `export const part${i} = ${i};`;
const exits = (exitCode: number, stdout: string) => ({ exitCode, stdout });

/** Reading, changing and trying code. */
export const coding: readonly Run[] = [
  {
    name: 'fifteen files read to explain a parser',
    tools: { list_files: 'read', read_file: 'read' },
    steps: [
      one(
        'list_files',
        { path: 'src' },
        each(15, (i) => `src/parser/${i}.ts`),
      ),
      ...each(15, (i) => one('read_file', { path: `src/parser/${i}.ts` }, source(i))),
    ],
  },
  {
    name: 'one long file read window by window',
    tools: { read_file: 'read' },
    steps: each(12, (i) =>
      one('read_file', { path: 'src/engine.ts', offset: 200 * i, limit: 200 }, source(i)),
    ),
  },
  {
    name: 'edit and test, with fewer failures each time',
    tools: files,
    steps: rounds(9, (i) => [
      one('edit_file', { path: 'src/money.ts', old: `round${i}`, new: `round${i + 1}` }, 'ok'),
      one('run_tests', {}, exits(i === 8 ? 0 : 1, `${8 - i} failed, ${40 + i} passed (2.${i} s)`)),
    ]),
  },
  {
    name: 'the same in a shell',
    tools: { edit_file: 'once', bash: shell },
    steps: rounds(8, (i) => [
      one('edit_file', { path: 'src/dates.ts', old: `x${i}`, new: `x${i + 1}` }, 'ok'),
      one('bash', { command: 'npm test' }, exits(i === 7 ? 0 : 1, `Tests: ${7 - i} failed`)),
    ]),
  },
  {
    name: 'failing suites run one by one before anything is changed',
    tools: { bash: shell, read_file: 'read' },
    steps: [
      ...each(7, (i) =>
        one(
          'bash',
          { command: `npx vitest run test/${i}.test.ts` },
          exits(1, `expected ${i} to be ${'x'.repeat(i)}`),
        ),
      ),
      one('read_file', { path: 'src/core.ts' }, source(1)),
    ],
  },
  {
    name: 'a refactoring over twelve files, green after each',
    tools: files,
    steps: rounds(12, (i) => [
      one('edit_file', { path: `src/${i}.ts`, old: 'getUser', new: 'findUser' }, 'ok'),
      one('run_tests', {}, exits(0, '42 passed')),
    ]),
  },
  {
    name: 'the same in a shell, edits too',
    tools: { bash: shell },
    steps: rounds(12, (i) => [
      one('bash', { command: `sed -i s/getUser/findUser/g src/${i}.ts` }, exits(0, '')),
      one('bash', { command: 'npm test' }, exits(0, '42 passed')),
    ]),
  },
  {
    name: 'ten files written',
    tools: { write_file: 'once' },
    steps: each(10, (i) => one('write_file', { path: `docs/${i}.md`, content: `# Chapter ${i}` }, 'ok')),
  },
  {
    name: 'a refactoring over twelve files, each read before and after',
    tools: files,
    steps: rounds(12, (i) => [
      one('read_file', { path: `src/${i}.ts` }, source(i)),
      one('edit_file', { path: `src/${i}.ts`, old: `${i}`, new: `${i + 1}` }, 'ok'),
      one('read_file', { path: `src/${i}.ts` }, source(i + 1)),
    ]),
  },
  {
    name: 'one file edited nine times',
    tools: files,
    steps: [
      one('read_file', { path: 'src/a.ts' }, source(0)),
      ...each(9, (i) => one('edit_file', { path: 'src/a.ts', old: `old ${i}`, new: `new ${i}` }, 'ok')),
      one('read_file', { path: 'src/a.ts' }, source(1)),
    ],
  },
  {
    name: 'the types looked up again and again while other files change',
    tools: files,
    steps: rounds(7, (i) => [
      one('read_file', { path: 'src/types.ts' }, source(99)),
      one('edit_file', { path: `src/use${i}.ts`, old: 'any', new: `Part${i}` }, 'ok'),
    ]),
  },
  {
    name: 'searches for ten unused symbols',
    tools: { grep: 'read' },
    steps: each(10, (i) => one('grep', { pattern: `legacy${i}`, path: 'src' }, '')),
  },
  {
    name: 'type errors fixed one at a time',
    tools: { edit_file: 'once', bash: shell },
    steps: rounds(8, (i) => [
      one(
        'bash',
        { command: 'npx tsc --noEmit' },
        exits(i === 7 ? 0 : 2, i === 7 ? '' : `src/${i}.ts(3,1): error TS2345`),
      ),
      one('edit_file', { path: `src/${i}.ts`, old: 'a', new: 'b' }, 'ok'),
    ]),
  },
  {
    name: 'a bisection',
    tools: { bash: shell },
    steps: [
      one('bash', { command: 'git bisect start HEAD v1.2' }, exits(0, 'Bisecting: 64 left, at c0')),
      ...rounds(6, (i) => [
        one('bash', { command: 'npm test' }, exits(1, '1 failed: dates')),
        one('bash', { command: 'git bisect bad' }, exits(0, `Bisecting: ${32 >> i} left, at c${i + 1}`)),
      ]),
      one('bash', { command: 'git bisect reset' }, exits(0, 'Switched back')),
    ],
  },
  {
    name: 'a change with its housekeeping in a shell',
    tools: { edit_file: 'once', bash: shell },
    steps: [
      one('bash', { command: 'git status' }, exits(0, 'clean')),
      one('bash', { command: 'git log --oneline -5' }, exits(0, 'a1 one')),
      ...rounds(3, (i) => [
        one('edit_file', { path: `src/${i}.ts`, old: 'x', new: 'y' }, 'ok'),
        one('bash', { command: 'npm test' }, exits(0, '42 passed')),
        one('bash', { command: `git commit -am "part ${i}"` }, exits(0, `[main ${i}]`)),
        one('bash', { command: 'git status' }, exits(0, 'clean')),
      ]),
    ],
  },
  {
    name: 'an edit that succeeds at the second try',
    tools: files,
    steps: [
      one('read_file', { path: 'a.ts' }, source(1)),
      one('edit_file', { path: 'a.ts', old: ' part', new: 'p' }, failed('old was not found')),
      one('read_file', { path: 'a.ts' }, source(1)),
      one('edit_file', { path: 'a.ts', old: 'part1', new: 'p' }, 'ok'),
      one('run_tests', {}, exits(0, '42 passed')),
    ],
  },
  {
    name: 'two tools that are not installed, and their substitutes',
    tools: { bash: shell },
    steps: [
      one('bash', { command: 'rg TODO src' }, exits(127, 'rg: command not found')),
      one('bash', { command: 'grep -rn TODO src' }, exits(0, 'src/a.ts:3: TODO')),
      one('bash', { command: 'pnpm test' }, exits(127, 'pnpm: command not found')),
      one('bash', { command: 'npm test' }, exits(0, '42 passed')),
    ],
  },
  {
    name: 'a script that fails in another way each time, until it runs',
    tools: { write_file: 'once', bash: shell },
    steps: [
      ...[
        'KeyError in load',
        'ValueError: bad date',
        'TypeError in plot',
        'IndexError',
        'out of memory',
        'NameError',
      ].map((why, i) => one('bash', { command: `python fit.py --try ${i}` }, exits(1, why))),
      one('bash', { command: 'python fit.py --safe' }, exits(0, 'fitted')),
    ],
  },
  {
    name: 'eight searches in a shell that find nothing',
    tools: { bash: shell },
    steps: each(8, (i) =>
      one('bash', { command: `grep -rn legacy${i} src | head -5; rg old${i}` }, exits(1, '')),
    ),
  },
  {
    name: 'a benchmark run five times for its mean',
    tools: { run_benchmark: 'idempotent' },
    steps: each(5, (i) => one('run_benchmark', { name: 'parse' }, { opsPerSecond: 10_400 + 13 * i })),
  },
  {
    name: 'a plan kept up to date beside the work',
    tools: { todo_write: 'idempotent', ...files },
    steps: rounds(7, (i) => [
      one('edit_file', { path: `src/${i}.ts`, old: 'a', new: 'b' }, 'ok'),
      one('todo_write', { items: each(7, (n) => ({ n, done: n <= i })) }, 'ok'),
    ]),
  },
];
