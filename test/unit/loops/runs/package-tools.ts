import { each, failed, one, type Run, type Tools } from './run.ts';

/** The tools of `steploop/tools` and `steploop/bash`, with the names and facts by which guards recognize them. */
const tools: Tools = {
  read_file: 'read',
  list_files: 'read',
  glob: 'read',
  grep: 'read',
  edit_file: { effect: 'idempotent', evidence: { changes: 'files' } },
  write_file: { effect: 'idempotent', evidence: { changes: 'files' } },
  bash: { effect: 'idempotent', evidence: { shell: true } },
  save_memory: 'idempotent',
  search_memory: 'read',
  http_fetch: 'read',
};

const source = (i: number) => `export const part${i} = ${i};`;
const exits = (exitCode: number, stdout: string) => ({ exitCode, stdout, stderr: '' });
const read = (i: number) => ['read_file', { path: `src/part${i}.ts` }, source(i)] as const;
const edit = (path: string, n: number) =>
  [
    'edit_file',
    { path, old_string: `old${n}`, new_string: `new${n}` },
    `Edited ${path} in one place.\n@@ ${n} @@`,
  ] as const;
const tests = (fail: number) =>
  one('bash', { command: 'npm test' }, exits(fail > 0 ? 1 : 0, `# pass ${40 - fail}\n# fail ${fail}`));

/** Coding and operations with the tools of the package. */
export const packageTools: readonly Run[] = [
  {
    name: 'twenty files read one by one, three edited, the tests run four times',
    tools,
    steps: [
      one('glob', { pattern: '**/*.ts' }, each(20, (i) => `src/part${i}.ts`).join('\n')),
      tests(3),
      ...each(20, (i) => [read(i)]),
      [edit('src/part3.ts', 1)],
      tests(2),
      [edit('src/part7.ts', 2)],
      tests(1),
      [edit('src/part9.ts', 3)],
      tests(0),
    ],
  },
  {
    name: 'twenty files read in one reply, three edited in another, the tests run four times',
    tools,
    steps: [
      each(20, read),
      tests(3),
      [edit('src/part3.ts', 1), edit('src/part7.ts', 2), edit('src/part9.ts', 3)],
      tests(1),
      [read(7)],
      [edit('src/part7.ts', 4)],
      tests(1),
      [edit('src/part7.ts', 5)],
      tests(0),
    ],
  },
  {
    name: 'a bug found by searching, with guessed paths that do not exist',
    tools,
    steps: [
      one('grep', { pattern: 'parseDate' }, 'src/dates.ts:4: export function parseDate('),
      [
        ['read_file', { path: 'src/dates.ts' }, source(4)],
        [
          'read_file',
          { path: 'src/date.ts' },
          failed('There is no file src/date.ts. Did you mean src/dates.ts?'),
        ],
        ['read_file', { path: 'test/dates.ts' }, failed('There is no file test/dates.ts.')],
        ['read_file', { path: 'test/dates.test.ts' }, source(5)],
      ],
      one('bash', { command: 'node --test test/dates.test.ts' }, exits(1, 'not ok 2 - leap years')),
      one('edit_file', { path: 'src/dates.ts', old_string: 'a', new_string: 'b' }, failed('occurs 14 times')),
      [edit('src/dates.ts', 2)],
      one('bash', { command: 'node --test test/dates.test.ts' }, exits(0, '# pass 9')),
      tests(0),
      one('bash', { command: 'diff -u /tmp/dates.ts src/dates.ts' }, exits(1, '@@ -4 +4 @@')),
    ],
  },
  {
    name: 'one file edited in eight places, in order, in one reply',
    tools,
    steps: [
      [['read_file', { path: 'src/long.ts' }, source(1)]],
      each(8, (i) => edit('src/long.ts', i)),
      tests(0),
    ],
  },
  {
    name: 'a module written file by file, with its tests',
    tools,
    steps: [
      ...each(6, (i) =>
        one('write_file', { path: `src/new/${i}.ts`, content: source(i) }, `Wrote src/new/${i}.ts.`),
      ),
      ...each(4, (i) => tests(3 - i)).flatMap((step, i) =>
        i < 3 ? [step, [edit(`src/new/${i}.ts`, i)]] : [step],
      ),
    ],
  },
  {
    name: 'memory is searched, pages are read, and a fact is saved',
    tools,
    steps: [
      one('search_memory', { query: 'deploy window' }, 'Nothing is known of it.'),
      one('search_memory', { query: 'deploy' }, 'The deploy takes place on Tuesdays.'),
      each(
        6,
        (i) => ['http_fetch', { url: `https://status.example.com/${i}` }, `Region ${i} is up.`] as const,
      ),
      one('save_memory', { fact: 'All regions were up on Tuesday.' }, 'Kept.'),
    ],
  },
];
