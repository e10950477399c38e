import { each, failed, one, type Run, rounds } from '../../runs/run.ts';

const python = { effect: 'once' } as const;

export const data: readonly Run[] = [
  {
    name: 'a query is mended three times until it runs',
    tools: { run_sql: 'read' },
    steps: [
      one('run_sql', { sql: 'select nme from users' }, failed('column "nme" does not exist')),
      one('run_sql', { sql: 'select name from user' }, failed('relation "user" does not exist')),
      one('run_sql', { sql: 'select name from users' }, { rows: [['Ann']] }),
      one('run_sql', { sql: 'select name, age from users' }, { rows: [['Ann', 40]] }),
    ],
  },
  {
    name: 'counts of twelve tables, four of which are empty',
    tools: { run_sql: 'read' },
    steps: each(12, (i) =>
      one('run_sql', { sql: `select count(*) from t${i}` }, { rows: [[i % 3 ? 100 * i : 0]] }),
    ),
  },
  {
    name: 'a script is written and run, with another error each time',
    tools: { write_file: 'idempotent', python },
    steps: rounds(4, (i) => [
      one('write_file', { path: 'a.py', content: `v${i}` }, 'ok'),
      one(
        'python',
        { file: 'a.py' },
        i < 3
          ? { exitCode: 1, stderr: ['KeyError: year', 'ValueError: no axis', 'TypeError: None + int'][i] }
          : { exitCode: 0, stdout: 'done' },
      ),
    ]),
  },
  {
    name: 'batches of a thousand rows are deleted until none is left',
    tools: { exec_sql: 'once' },
    steps: each(7, (i) =>
      one('exec_sql', { sql: 'delete from events where old limit 1000' }, { affected: i < 6 ? 1000 : 41 }),
    ),
  },
  {
    name: 'ten experiments with other seeds and equal accuracy',
    tools: { train: 'once' },
    steps: each(10, (i) => one('train', { seed: i, epochs: 3 }, { accuracy: 0.91 })),
  },
  {
    name: 'pages of an export are fetched with a cursor',
    tools: { export_page: 'read' },
    steps: each(15, (i) =>
      one(
        'export_page',
        { cursor: i ? `c${i}` : null },
        { rows: each(3, (n) => 3 * i + n), next: `c${i + 1}` },
      ),
    ),
  },
  {
    name: 'a training job is asked for its loss, which falls',
    tools: { job_metrics: 'read' },
    steps: each(12, (i) =>
      one('job_metrics', { id: 'j1' }, { epoch: i, loss: Number((1 / (i + 1)).toFixed(3)) }),
    ),
  },
  {
    name: 'the head of nine files with the same columns',
    tools: { read_csv: 'read' },
    steps: each(9, (i) => one('read_csv', { path: `part-${i}.csv`, rows: 1 }, 'id,name,age')),
  },
];
