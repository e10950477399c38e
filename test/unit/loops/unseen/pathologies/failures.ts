import { failed, one } from '../../runs/run.ts';
import { alternating, digits, type Endless, hex } from './pathology.ts';

const bash = { effect: 'once', evidence: { shell: true } } as const;
const sh = (command: string, exitCode: number, stdout: string, stderr = '') =>
  one('bash', { command }, { exitCode, stdout, stderr });

/** Failures that are alike, where something moves. */
export const failures: readonly Endless[] = [
  {
    name: 'make build with a line number that moves',
    tools: { bash },
    step: (i) =>
      sh('make build', 2, `src/main.c:${100 + i}: undefined reference to 'init'\nmake: *** [build] Error 1`),
  },
  {
    name: 'the same error under other flags',
    tools: { bash },
    step: (i) =>
      sh(
        `cargo build --jobs ${i + 1} ${i % 2 ? '--release' : '--verbose'}`,
        101,
        'error[E0432]: unresolved import `serde`',
      ),
  },
  {
    name: 'a test with a seed that moves',
    tools: { bash },
    step: (i) =>
      sh(
        'pytest -q',
        1,
        `random seed: ${digits(i)}\n1 failed, 3 passed in 0.${i}s\nFAILED test_sum - assert 4 == 5`,
      ),
  },
  {
    name: 'one traceback of a python tool that exits with 1',
    tools: { python: 'once' },
    step: (i) =>
      one(
        'python',
        { code: `# try ${i}\nimport pandas` },
        {
          exitCode: 1,
          stdout: '',
          stderr: `Traceback (most recent call last):\n  File "<stdin>", line ${2 + (i % 5)}, in <module>\nModuleNotFoundError: No module named 'pandas'`,
        },
      ),
  },
  {
    name: 'a verification tool that fails alike after each edit of one file',
    tools: { edit_file: 'idempotent', run_checks: 'read' },
    step: alternating(
      (r) => one('edit_file', { path: 'a.ts', old: `v${r}`, new: `v${r + 1}` }, 'ok'),
      (r) => one('run_checks', {}, { exitCode: 1, output: `a.ts:${10 + r}: 'total' is not defined` }),
    ),
  },
  {
    name: 'a result that says isError, with a request id',
    tools: { call_api: 'once' },
    step: (i) =>
      one(
        'call_api',
        { path: `/v1/orders?try=${i}` },
        { isError: true, message: `permission denied (request ${hex(i)})` },
      ),
  },
  {
    name: 'a selector that is not found, in other spellings',
    tools: { click: 'once' },
    step: (i) => one('click', { selector: `#buy-${i}` }, failed(`no element matches #buy-${i}`)),
  },
  {
    name: 'a patch that does not apply, at another line each time',
    tools: { apply_patch: 'once', read_file: 'read' },
    step: alternating(
      (r) => one('apply_patch', { patch: `@@ -${r},3 +${r},3 @@` }, failed(`hunk #1 failed at line ${r}`)),
      (r) => one('read_file', { path: 'a.c', from: 10 * r, lines: 10 }, `lines from ${10 * r}`),
    ),
  },
  {
    name: 'a login that is refused, with a time in the message',
    tools: { login: 'once' },
    step: (i) =>
      one('login', { user: 'ann' }, failed(`401 at 2026-03-01T10:${10 + (i % 50)}:00Z: bad credentials`)),
  },
  {
    name: 'a container that exits alike under another name',
    tools: { bash },
    step: (i) =>
      sh(`docker run --name t${i} app`, 137, '', `container ${hex(i)}${hex(i + 9)} killed: out of memory`),
  },
  {
    name: 'a linter with the same two faults, in another order of words',
    tools: { bash },
    step: (i) =>
      sh(
        `eslint src --max-warnings ${i}`,
        1,
        `12:3 error no-undef\n40:1 error no-unused-vars\n2 problems (took ${i + 3} ms)`,
      ),
  },
  {
    name: 'a tool of unknown name beside a read that changes',
    tools: { get_price: 'read' },
    step: (i) => [
      ['fly_to', { place: 'moon' }, null],
      ['get_price', { id: 1 }, { price: 100 + i }],
    ],
  },
  {
    name: 'a tool of unknown name between new reads',
    tools: { get_price: 'read' },
    step: alternating(
      () => one('fly_to', { place: 'moon' }, null),
      (r) => one('get_price', { id: r }, { price: r }),
    ),
  },
  {
    name: 'arguments that the schema refuses, between new reads',
    tools: { book: 'once', get_price: 'read' },
    step: alternating(
      (r) => one('book', { day: `x${r}` }, failed(`Invalid input: day: expected a date, got "x${r}"`)),
      (r) => one('get_price', { id: r }, { price: r }),
    ),
  },
  {
    name: 'a query with another limit and the same error',
    tools: { run_sql: 'read' },
    step: (i) =>
      one('run_sql', { sql: `select nme from users limit ${i + 1}` }, failed('column "nme" does not exist')),
  },
  {
    name: 'an upload that stops at another byte each time',
    tools: { upload: 'once' },
    step: (i) => one('upload', { file: 'a.zip' }, failed(`connection reset after ${digits(i)} bytes`)),
  },
  {
    name: 'a server that always answers 503',
    tools: { http_get: 'read' },
    step: () => one('http_get', { url: 'https://api.example/x' }, failed('503 Service Unavailable')),
  },
  {
    name: 'a build of one package after another, each missing the same header',
    tools: { bash },
    step: (i) => sh(`make -C pkg${i}`, 2, `pkg${i}/a.c:3:10: fatal error: zlib.h: No such file or directory`),
  },
  {
    name: 'another package manager each time, and no network',
    tools: { bash },
    step: (i) =>
      sh(
        `${['npm', 'yarn', 'pnpm', 'bun'][i % 4]} install --registry https://r${i}.example`,
        1,
        'getaddrinfo ENOTFOUND',
      ),
  },
];
