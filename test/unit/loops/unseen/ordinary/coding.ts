import { each, failed, one, type Run, rounds } from '../../runs/run.ts';

const bash = { effect: 'once', evidence: { shell: true } } as const;
const ex = (exitCode: number, stdout = '', stderr = '') => ({ exitCode, stdout, stderr });
const sh = (command: string, exitCode: number, out = '') => one('bash', { command }, ex(exitCode, out));

export const coding: readonly Run[] = [
  {
    name: 'compile errors mended one by one, with the same command and the same first line',
    tools: { bash, edit_file: 'idempotent' },
    steps: rounds(7, (i) => [
      sh(
        'make build',
        i < 6 ? 2 : 0,
        i < 6 ? `src/m${i}.c:${10 + 31 * i}: error: '${'abcdef'[i]}_init' undeclared` : 'linked',
      ),
      one('edit_file', { path: `src/m${i}.c`, old: 'x', new: `init ${i}` }, 'ok'),
    ]),
  },
  {
    name: 'git status between new reads and edits, always clean until the commit',
    tools: { bash, read_file: 'read' },
    steps: rounds(9, (i) => [
      one('read_file', { path: `lib/p${i}.rb` }, `module P${i}`),
      sh('git status', 0, 'On branch main\nnothing to commit, working tree clean'),
    ]),
  },
  {
    name: 'a failing test run five times while four files are mended',
    tools: { bash, edit_file: 'idempotent', read_file: 'read' },
    steps: rounds(5, (i) => [
      sh(
        'pytest -q tests/test_tax.py',
        i < 4 ? 1 : 0,
        i < 4 ? `${4 - i} failed, ${8 + i} passed` : '12 passed',
      ),
      one('read_file', { path: `tax/r${i}.py` }, `RATE = ${i}`),
      one('edit_file', { path: `tax/r${i}.py`, old: `RATE = ${i}`, new: `RATE = ${i + 1}` }, 'ok'),
    ]),
  },
  {
    name: 'the same formatter after each of ten edits',
    tools: { bash, edit_file: 'idempotent' },
    steps: rounds(10, (i) => [
      one('edit_file', { path: `ui/c${i}.tsx`, old: 'Props', new: `Props${i}` }, 'Edited.'),
      sh('npx prettier --write .', 0, ''),
    ]),
  },
  {
    name: 'npm install is retried after two network failures',
    tools: { bash },
    steps: [
      sh('npm install', 1, 'npm ERR! network ETIMEDOUT'),
      sh('npm install', 1, 'npm ERR! network ETIMEDOUT'),
      sh('npm install', 0, 'added 211 packages'),
      sh('npm test', 0, '40 passing'),
    ],
  },
  {
    name: 'bisecting nine commits with one test command',
    tools: { bash },
    steps: rounds(9, (i) => [
      sh(i % 2 ? 'git bisect good' : 'git bisect bad', 0, `Bisecting: ${9 - i} revisions left\n[${i}fa${i}]`),
      sh('node --test test/dates.mjs', i % 2, i % 2 ? 'not ok 1 - leap' : 'ok 1 - leap'),
    ]),
  },
  {
    name: 'the plan is read again before each of eight parts of the work',
    tools: { read_file: 'read', write_file: 'idempotent' },
    steps: rounds(8, (i) => [
      one('read_file', { path: 'PLAN.md' }, '1. parser 2. printer 3. tests'),
      one('write_file', { path: `src/part${i}.rs`, content: `fn p${i}() {}` }, 'wrote 1 file'),
    ]),
  },
  {
    name: 'a type check that finds other errors each time, at other lines of one file',
    tools: { bash, edit_file: 'idempotent' },
    steps: rounds(6, (i) => [
      sh(
        'tsc --noEmit',
        i < 5 ? 2 : 0,
        i < 5
          ? each(5 - i, (n) => `src/api.ts(${40 + n},3): error TS2339: Property 'p${n}' does not exist`).join(
              '\n',
            )
          : '',
      ),
      one('edit_file', { path: 'src/api.ts', old: `p${5 - i}`, new: 'q' }, 'ok'),
    ]),
  },
  {
    name: 'guessed paths that do not exist, between paths that do',
    tools: { read_file: 'read', glob: 'read' },
    steps: rounds(5, (i) => [
      one('read_file', { path: `src/m${i}/index.ts` }, failed(`no such file: src/m${i}/index.ts`)),
      one('glob', { pattern: `src/m${i}*` }, [`src/m${i}.ts`]),
      one('read_file', { path: `src/m${i}.ts` }, `export const m${i} = ${i};`),
    ]),
  },
];
