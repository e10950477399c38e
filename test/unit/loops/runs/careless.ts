import { type Call, each, failed, one, type Run, rounds } from './run.ts';

const shell = { effect: 'once', evidence: { shell: true } } as const;
const ex = (exitCode: number, stdout: string) => ({ exitCode, stdout, stderr: '' });

/** Work by other authors: tools with careless declarations, answers that are all the same, and unusual ways to do things. */
export const careless: readonly Run[] = [
  {
    name: 'lazy: all tools read, constant results',
    tools: { read_file: 'read', edit_file: 'read', run_tests: 'read' },
    steps: rounds(10, (i) => [
      one('read_file', { path: `src/f${i}.ts` }, 'export const x = 1; // the same content here'),
      one(
        'edit_file',
        { path: `src/f${i}.ts`, old: 'x', new: 'y' },
        'The file has been updated successfully.',
      ),
      one('run_tests', {}, 'all 42 tests passed in 1.2s'),
    ]),
  },
  {
    name: 'edit one file many times, long ok',
    tools: { edit_file: 'idempotent', read_file: 'read' },
    steps: each(8, (i) =>
      one(
        'edit_file',
        { path: 'a.ts', old_string: `x${i}`, new_string: 'y' },
        'The file a.ts has been updated successfully.',
      ),
    ),
  },
  {
    name: 'edit declared read, one file, long ok',
    tools: { edit_file: 'read' },
    steps: each(8, (i) =>
      one(
        'edit_file',
        { path: 'a.ts', old_string: `x${i}`, new_string: 'y' },
        'The file a.ts has been updated successfully.',
      ),
    ),
  },
  {
    name: 'bash sleeps between',
    tools: { bash: shell, get_build: 'read' },
    steps: rounds(8, (i) => [
      one('bash', { command: 'sleep 30' }, ex(0, '')),
      one('get_build', { id: 5 }, i < 7 ? 'running' : 'passed'),
    ]),
  },
  {
    name: 'kubectl poll',
    tools: { kubectl: 'read' },
    steps: each(6, (i) =>
      one('kubectl', { args: 'rollout status deploy/api' }, i < 5 ? `Waiting: ${i} of 5 updated` : 'done'),
    ),
  },
  {
    name: 'pagination const page size, same results on two pages',
    tools: { list_users: 'read' },
    steps: each(12, (i) => one('list_users', { page: i, limit: 50 }, { users: ['a', 'b'], hasMore: i < 11 })),
  },
  {
    name: 'pagination alike with query, constant long',
    tools: { search: 'read' },
    steps: each(9, (i) =>
      one('search', { query: 'foo', page: i }, { hits: [`hit ${i} with a longer text`], total: 90 }),
    ),
  },
  {
    name: 'read alternately spec and files while writing',
    tools: { read_file: 'read', write_file: 'once' },
    steps: rounds(8, (i) => [
      one('read_file', { path: 'SPEC.md' }, 'spec text'),
      one('write_file', { path: `src/${i}.ts`, content: `${i}` }, 'ok'),
    ]),
  },
  {
    name: 'git workflow',
    tools: { bash: shell },
    steps: rounds(6, (i) => [
      one('bash', { command: 'git status --short' }, ex(0, ` M f${i}`)),
      one('bash', { command: `git add f${i}` }, ex(0, '')),
      one('bash', { command: `git commit -m "f${i}"` }, ex(0, `[main ${i}]`)),
      one('bash', { command: 'git status --short' }, ex(0, '')),
    ]),
  },
  {
    name: 'tests green again and again with py edits',
    tools: { bash: shell },
    steps: rounds(6, (i) => [
      one('bash', { command: `python - <<'E'\nopen('f${i}','w').write('x')\nE` }, ex(0, '')),
      one('bash', { command: 'pytest -q' }, ex(0, '12 passed in 0.31s')),
    ]),
  },
  {
    name: 'tests fail alike with edits, then fixed',
    tools: { edit_file: 'once', run_tests: 'idempotent' },
    steps: [
      ...rounds(2, (i) => [
        one('edit_file', { path: 'a', old: `${i}`, new: 'x' }, 'ok'),
        one('run_tests', {}, ex(1, 'FAIL')),
      ]),
      one('edit_file', { path: 'a', old: '9', new: 'x' }, 'ok'),
      one('run_tests', {}, ex(0, 'PASS')),
    ],
  },
  {
    name: 'tests throw with fewer failures',
    tools: { edit_file: 'once', run_tests: 'read' },
    steps: rounds(6, (i) => [
      one('run_tests', {}, failed(`${6 - i} tests failed: ${each(6 - i, (n) => `case ${n}`).join(', ')}`)),
      one('edit_file', { path: 'a', old: `${i}`, new: 'x' }, 'ok'),
    ]),
  },
  {
    name: 'inbox polled by check_inbox',
    tools: { check_inbox: 'read' },
    steps: each(9, (i) => one('check_inbox', {}, i < 8 ? [] : ['mail'])),
  },
  {
    name: 'batches of polls',
    tools: { get_job_status: 'read' },
    steps: each(9, (i) => each(4, (j): Call => ['get_job_status', { id: j }, i < 8 ? 'RUNNING' : 'DONE'])),
  },
  {
    name: 'lookups then same lookup verify',
    tools: { get_order: 'read', refund: 'once' },
    steps: rounds(6, (i) => [
      one('get_order', { id: i }, { id: i, s: 'paid' }),
      one('refund', { id: i }, 'ok'),
      one('get_order', { id: i }, { id: i, s: 'refunded' }),
    ]),
  },
  {
    name: 'screenshots',
    tools: { click: 'once', screenshot: 'read' },
    steps: rounds(10, (i) => [
      one('click', { x: 10, y: 20 }, 'ok'),
      one('screenshot', {}, { blob: `img${i}` }),
    ]),
  },
  {
    name: 'sql exploration',
    tools: { sql: 'read' },
    steps: each(18, (i) => one('sql', { query: `select count(*) from t${i}` }, [{ count: 0 }])),
  },
  {
    name: 'calculator same results',
    tools: { calculator: 'read' },
    steps: each(12, (i) => one('calculator', { expression: `${i} * 0` }, 0)),
  },
  {
    name: 'two files compared piecewise',
    tools: { read_file: 'read' },
    steps: rounds(7, (i) => [
      one('read_file', { path: 'a', offset: i * 10 }, `a${i}`),
      one('read_file', { path: 'b', offset: i * 10 }, `b${i}`),
    ]),
  },
  {
    name: 're-read same files after 20 other steps (twice)',
    tools: { read_file: 'read' },
    steps: [
      ...each(12, (i) => one('read_file', { path: `${i}` }, `t${i}`)),
      ...each(6, (i) => one('read_file', { path: `${i}` }, `t${i}`)),
      ...each(8, (i) => one('read_file', { path: `x${i}` }, `x${i}`)),
    ],
  },
  {
    name: 'rate limited thrice then ok (different urls)',
    tools: { fetch: 'read' },
    steps: [
      ...each(2, (i) => one('fetch', { url: `u${i}` }, failed('429 Too Many Requests'))),
      one('fetch', { url: 'u3' }, 'ok'),
    ],
  },
  {
    name: 'log by bash tail',
    tools: { bash: shell },
    steps: each(7, (i) => one('bash', { command: 'tail -n 20 app.log' }, ex(0, `line ${i}`))),
  },
  {
    name: 'curl health until up',
    tools: { bash: shell },
    steps: each(6, (i) =>
      one('bash', { command: 'curl -s localhost/health; sleep 2' }, ex(i < 5 ? 7 : 0, i < 5 ? '' : 'up')),
    ),
  },
  {
    name: 'wait tool then get_deployment pending',
    tools: { wait_seconds: 'read', get_deployment: 'read' },
    steps: rounds(9, (i) => [
      one('wait_seconds', { n: 10 }, 'ok'),
      one('get_deployment', { id: 1 }, i < 8 ? { state: 'PENDING' } : { state: 'DONE' }),
    ]),
  },
  {
    name: 'ls repeatedly during work',
    tools: { bash: shell, write_file: 'once' },
    steps: rounds(6, (i) => [
      one('bash', { command: 'ls src' }, ex(0, each(i, (n) => `${n}.ts`).join('\n'))),
      one('write_file', { path: `src/${i}.ts`, content: '' }, 'ok'),
    ]),
  },
  {
    name: 'memory saves',
    tools: { save_memory: 'idempotent', search_memory: 'read' },
    steps: rounds(7, (i) => [
      one('search_memory', { query: `q${i}` }, []),
      one('save_memory', { text: `m${i}` }, 'saved'),
    ]),
  },
  {
    name: 'mkdir and touch',
    tools: { bash: shell },
    steps: each(10, (i) => one('bash', { command: `mkdir -p d/${i} && touch d/${i}/x` }, ex(0, ''))),
  },
  {
    name: 'no-arg list between changes via api',
    tools: { list_todos: 'read', complete_todo: 'once' },
    steps: rounds(8, (i) => [
      one(
        'list_todos',
        {},
        each(8 - i, (n) => `t${n + i}`),
      ),
      one('complete_todo', { id: i }, 'ok'),
    ]),
  },
  {
    name: 'get_weather for cities, same answer',
    tools: { get_weather: 'read' },
    steps: each(9, (i) => one('get_weather', { city: `c${i}` }, 'sunny and 21 degrees in the afternoon')),
  },
  {
    name: 'translate chunks',
    tools: { translate: 'idempotent' },
    steps: each(20, (i) => one('translate', { text: `chunk ${i}`, to: 'de' }, `Stück ${i}`)),
  },
  {
    name: 'id-primary lookups of fields',
    tools: { get_field: 'read' },
    steps: each(8, (i) => one('get_field', { id: 'c1', field: `f${i}` }, null)),
  },
  {
    name: 'checkout of 8 carts',
    tools: { checkout_cart: 'once' },
    steps: each(8, (i) => one('checkout_cart', { cart: i }, 'ok')),
  },
];
