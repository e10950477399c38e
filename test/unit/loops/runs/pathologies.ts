import { each, failed, one, type Step, type Tools } from './run.ts';

/** Runs without progress: the model does not stop by itself. */
export interface Pathology {
  readonly name: string;
  readonly tools: Tools;
  /** Steps of one round of a cycle; 1 if it is no cycle, or has one step. */
  readonly period: number;
  /** Steps of work before it. */
  readonly from?: number;
  /** It polls, so it has the limits of polls. */
  readonly poll?: true;
  /** The step with this number, from 0. */
  readonly step: (i: number) => Step;
  /**
   * The outcome before the guards looked for news, by steps from 1: the first advice to the model, the first refused call,
   * the end of the run (200 = it continued to its last step).
   */
  readonly before: { readonly told: number | null; readonly refused: number | null; readonly ended: number };
}

const shell = { effect: 'once', evidence: { shell: true } } as const;
const letters = 'abcdefghij';
const cycle =
  (...steps: readonly Step[]) =>
  (i: number): Step =>
    steps[i % steps.length] ?? [];
const gets = (n: number) => each(n, (i) => one(`get_${letters[i]}`, { id: 1 }, `answer ${i}`));
const reads = (n: number) => each(n, (i) => one('read_file', { path: `${letters[i]}.ts` }, `text ${i}`));
const getTools = (n: number): Tools => Object.fromEntries(each(n, (i) => [`get_${letters[i]}`, 'read']));
const exits = (exitCode: number, stdout: string) => ({ exitCode, stdout });

/** The number of steps after which the test stops waiting for the guards to end a run. */
export const STEPS = 200;

type Row = Omit<Pathology, 'before'>;
const rows: readonly Row[] = [
  { name: 'one read', tools: { read_file: 'read' }, period: 1, step: cycle(...reads(1)) },
  { name: 'one lookup', tools: getTools(1), period: 1, step: cycle(...gets(1)) },
  {
    name: 'one write',
    tools: { save: 'idempotent' },
    period: 1,
    step: cycle(one('save', { text: 'x' }, 'ok')),
  },
  {
    name: 'one command',
    tools: { bash: shell },
    period: 1,
    step: cycle(one('bash', { command: 'make' }, exits(0, 'nothing to do'))),
  },
  {
    name: 'one command that fails',
    tools: { bash: shell },
    period: 1,
    step: cycle(one('bash', { command: 'make' }, exits(2, 'no rule'))),
  },
  {
    name: 'one call that fails',
    tools: getTools(1),
    period: 1,
    step: cycle(one('get_a', { id: 1 }, failed('no such thing'))),
  },
  {
    name: 'an unknown tool',
    tools: getTools(1),
    period: 1,
    step: cycle(one('get_z', { id: 1 }, null)),
  },
  {
    name: 'one lookup whose answer has a clock in it',
    tools: getTools(1),
    period: 1,
    step: (i) =>
      one(
        'get_a',
        { id: 1 },
        {
          value: 5,
          timestamp: 1_770_000_000 + i,
          requestId: `r${i}`,
          at: `2026-03-01T10:00:${10 + (i % 50)}Z`,
        },
      ),
  },
  {
    name: 'one test run whose report has durations in it',
    tools: { bash: shell },
    period: 1,
    step: (i) =>
      one(
        'bash',
        { command: 'npm test' },
        exits(1, `1 failed: dates\nStart at 10:00:${10 + (i % 50)}\nDuration 1.${i} s (tests ${7 + i}ms)`),
      ),
  },
  {
    name: 'one path in three spellings',
    tools: { read_file: 'read' },
    period: 3,
    step: cycle(...['src/a.ts', './src/a.ts', 'src/a.ts '].map((path) => one('read_file', { path }, 'text'))),
  },
  {
    name: 'one folder in four spellings',
    tools: { get_tree: 'read' },
    period: 4,
    step: cycle(...['src', './src', 'src/', 'src//. '].map((path) => one('get_tree', { path }, ['a.ts']))),
  },
  {
    name: 'one query with more and more whitespace',
    tools: { query: 'read' },
    period: 1,
    step: (i) => one('query', { text: `select 1${' '.repeat(i)}` }, [1]),
  },
  { name: 'A, B: lookups', tools: getTools(2), period: 2, step: cycle(...gets(2)) },
  { name: 'A, B, C: lookups', tools: getTools(3), period: 3, step: cycle(...gets(3)) },
  { name: 'a cycle of four lookups', tools: getTools(4), period: 4, step: cycle(...gets(4)) },
  { name: 'a cycle of five lookups', tools: getTools(5), period: 5, step: cycle(...gets(5)) },
  { name: 'a cycle of six lookups', tools: getTools(6), period: 6, step: cycle(...gets(6)) },
  { name: 'A, B: reads', tools: { read_file: 'read' }, period: 2, step: cycle(...reads(2)) },
  { name: 'A, B, C: reads', tools: { read_file: 'read' }, period: 3, step: cycle(...reads(3)) },
  { name: 'a cycle of six reads', tools: { read_file: 'read' }, period: 6, step: cycle(...reads(6)) },
  {
    name: 'A, B: the same edit and the same test',
    tools: { edit_file: 'once', run_tests: 'idempotent' },
    period: 2,
    step: cycle(
      one('edit_file', { path: 'a.ts', old: 'x', new: 'y' }, 'ok'),
      one('run_tests', {}, exits(1, '1 failed')),
    ),
  },
  {
    name: 'A, B: a read and an edit that are the same each time',
    tools: { read_file: 'read', edit_file: 'once' },
    period: 2,
    step: cycle(
      one('read_file', { path: 'a.ts' }, 'text'),
      one('edit_file', { path: 'b.ts', old: 'x', new: 'y' }, 'ok'),
    ),
  },
  {
    name: 'A, B: a file that is read and written back',
    tools: { read_file: 'read', write_file: 'once' },
    period: 2,
    step: cycle(
      one('read_file', { path: 'a.ts' }, 'text'),
      one('write_file', { path: 'a.ts', content: 'text' }, 'ok'),
    ),
  },
  {
    name: 'A, B: two commands',
    tools: { bash: shell },
    period: 2,
    step: cycle(
      one('bash', { command: 'make' }, exits(0, 'done')),
      one('bash', { command: 'ls' }, exits(0, 'a b')),
    ),
  },
  {
    name: 'A, B, C: commands with other blanks each round',
    tools: { bash: shell },
    period: 3,
    step: (i) =>
      one(
        'bash',
        { command: `${['make', 'ls -la', 'git diff'][i % 3]}${' '.repeat(i)}` },
        exits(0, `out ${i % 3}`),
      ),
  },
  {
    name: 'A, B: one fails, one does not',
    tools: getTools(2),
    period: 2,
    step: cycle(one('get_a', { id: 1 }, failed('no such thing')), one('get_b', { id: 1 }, 'b')),
  },
  {
    name: 'A, B: paths in other spellings each round',
    tools: { get_tree: 'read', get_file: 'read' },
    period: 2,
    step: (i) =>
      i % 2 === 0
        ? one('get_tree', { path: ['src', './src', 'src '][(i / 2) % 3] }, ['a.ts'])
        : one('get_file', { file_path: ['a.ts', './a.ts', './/a.ts'][((i - 1) / 2) % 3] }, 'text'),
  },
  {
    name: 'A, B: answers with a clock in them',
    tools: getTools(2),
    period: 2,
    step: (i) => one(`get_${letters[i % 2]}`, { id: 1 }, { value: i % 2, timestamp: i, elapsed_ms: 3 * i }),
  },
  {
    name: 'A, B: batches of three',
    tools: getTools(6),
    period: 2,
    step: (i) =>
      gets(6)
        .slice(3 * (i % 2), 3 * (i % 2) + 3)
        .flat(),
  },
  {
    name: 'A, B, C in random order',
    tools: getTools(3),
    period: 3,
    step: (i) => gets(3)[[0, 1, 2, 1, 0, 2, 2, 0, 1, 0, 2, 1][i % 12] ?? 0] ?? [],
  },
  {
    name: 'A, A, B, B',
    tools: getTools(2),
    period: 4,
    step: (i) => gets(2)[[0, 0, 1, 1][i % 4] ?? 0] ?? [],
  },
  {
    name: 'A, B: a stalled status and a stalled log',
    tools: { check_status: 'read', fetch_log: 'read' },
    period: 2,
    step: cycle(one('check_status', { id: 1 }, 'PENDING'), one('fetch_log', { id: 1 }, 'starting')),
  },
  {
    name: 'a stalled status',
    poll: true,
    tools: { check_status: 'read' },
    period: 1,
    step: cycle(one('check_status', { id: 1 }, 'PENDING')),
  },
  {
    name: 'two stalled statuses',
    poll: true,
    tools: { check_status: 'read' },
    period: 2,
    step: (i) => one('check_status', { id: i % 2 }, 'PENDING'),
  },
  {
    name: 'addresses that fail the same way',
    tools: { fetch_url: 'read' },
    period: 1,
    step: (i) =>
      one('fetch_url', { url: `https://x.example/${i}` }, failed(`https://x.example/${i}: 404 Not Found`)),
  },
  {
    name: 'edits that fail the same way',
    tools: { edit_file: 'once' },
    period: 1,
    step: (i) =>
      one('edit_file', { path: 'a.ts', old: `x${i}`, new: 'y' }, failed('old was not found in a.ts')),
  },
  {
    name: 'commands that fail the same way',
    tools: { bash: shell },
    period: 1,
    step: (i) =>
      one('bash', { command: `frobnicate --level ${i}` }, exits(127, 'frobnicate: command not found')),
  },
  {
    name: 'commands that fail with a number',
    tools: { bash: shell },
    period: 1,
    step: (i) => one('bash', { command: `./deploy.sh stage${i}` }, exits(3, `stage${i}: line 12: denied`)),
  },
  {
    name: 'arguments that are wrong in another way each time',
    tools: { get_a: 'read' },
    period: 1,
    step: (i) => one('get_b', { id: i }, null),
  },
  {
    name: 'one file, read again between others',
    tools: { read_file: 'read' },
    period: 1,
    step: (i) =>
      i % 2 === 0
        ? one('read_file', { path: 'a.ts' }, 'text')
        : one('read_file', { path: `${i}.ts` }, `text ${i}`),
  },
  {
    name: 'one file and its imports, all unchanged',
    tools: { read_file: 'read', grep: 'read' },
    period: 3,
    step: cycle(
      one('read_file', { path: 'a.ts' }, 'text'),
      one('grep', { pattern: 'x' }, ''),
      one('read_file', { path: './a.ts' }, 'text'),
    ),
  },
  {
    name: 'work first, then A, B',
    tools: getTools(2),
    period: 2,
    from: 10,
    step: (i) => (i < 10 ? one('get_a', { id: i + 2 }, `answer ${i}`) : (gets(2)[i % 2] ?? [])),
  },
  {
    name: 'A, B: an item added and removed',
    tools: { add_item: 'once', remove_item: 'once' },
    period: 2,
    step: (i) => one(i % 2 ? 'remove_item' : 'add_item', { id: 1 }, 'ok'),
  },
  {
    name: 'an edit, its test, the edit taken back, its test',
    tools: { edit_file: 'once', run_tests: 'idempotent' },
    period: 4,
    step: cycle(
      one('edit_file', { path: 'a.ts', old: 'x', new: 'y' }, 'ok'),
      one('run_tests', {}, exits(1, 'dates fail')),
      one('edit_file', { path: 'a.ts', old: 'y', new: 'x' }, 'ok'),
      one('run_tests', {}, exits(1, 'money fails')),
    ),
  },
  {
    name: 'A, B: one fails the same way with other arguments, one returns the same',
    tools: getTools(2),
    period: 2,
    step: (i) => (i % 2 ? one('get_a', { id: i }, failed(`no item ${i}`)) : one('get_b', {}, 'b')),
  },
  {
    name: 'one search with blanks in other places',
    tools: { web_search: 'read' },
    period: 1,
    step: (i) =>
      one(
        'web_search',
        { query: ['tax rate', 'tax rate ', ' tax rate', 'tax  rate', 'tax rate\n'][i % 5] },
        { results: [{ url: 'https://t.example' }] },
      ),
  },
  {
    name: 'a request id that is new each time',
    tools: { get_account: 'read' },
    period: 1,
    step: (i) => one('get_account', { id: 'a1', request_id: `req-${i * 7919}` }, { plan: 'free' }),
  },
  {
    name: 'a clock among the arguments',
    tools: { get_account: 'read' },
    period: 1,
    step: (i) => one('get_account', { id: 'a1', timestamp: 1_763_800_001 + 7 * i }, { plan: 'free' }),
  },
  {
    name: 'a document that says that something is running',
    tools: { get_page: 'read' },
    period: 1,
    step: cycle(
      one(
        'get_page',
        { id: 1 },
        'How it works. While a job is running, its workers are waiting for the next one.',
      ),
    ),
  },
  {
    name: 'a pending state, from a tool that is no poll',
    tools: { get_a: { effect: 'read', poll: false } },
    period: 1,
    step: cycle(one('get_a', { id: 1 }, { status: 'pending' })),
  },
  {
    name: 'a job started, and not finished, again and again',
    tools: { start_job: 'once' },
    period: 1,
    step: cycle(one('start_job', { kind: 'reindex' }, { status: 'queued' })),
  },
  {
    name: 'a stalled job, with an unrelated name',
    poll: true,
    tools: { get_job: 'read' },
    period: 1,
    step: cycle(one('get_job', { id: 1 }, { status: 'PENDING' })),
  },
];

/** Measured with the guards before that change; see `Pathology.before`. */
const before: Readonly<Record<string, Pathology['before']>> = {
  'one read': { told: 3, refused: 6, ended: 6 },
  'one lookup': { told: 3, refused: null, ended: 8 },
  'one write': { told: 3, refused: 6, ended: 8 },
  'one command': { told: 3, refused: 5, ended: 5 },
  'one command that fails': { told: 3, refused: 5, ended: 5 },
  'one call that fails': { told: 3, refused: null, ended: 6 },
  'an unknown tool': { told: 3, refused: null, ended: 6 },
  'one lookup whose answer has a clock in it': { told: 3, refused: null, ended: 8 },
  'one test run whose report has durations in it': { told: 3, refused: 5, ended: 5 },
  'one path in three spellings': { told: 5, refused: 13, ended: 26 },
  'one folder in four spellings': { told: 5, refused: null, ended: 200 },
  'one query with more and more whitespace': { told: 5, refused: null, ended: 200 },
  'A, B: lookups': { told: 9, refused: 20, ended: 200 },
  'A, B, C: lookups': { told: 13, refused: null, ended: 200 },
  'a cycle of four lookups': { told: 17, refused: null, ended: 200 },
  'a cycle of five lookups': { told: 21, refused: null, ended: 200 },
  'a cycle of six lookups': { told: 25, refused: null, ended: 200 },
  'A, B: reads': { told: 5, refused: 9, ended: 18 },
  'A, B, C: reads': { told: 5, refused: 13, ended: 26 },
  'a cycle of six reads': { told: 5, refused: 25, ended: 50 },
  'A, B: the same edit and the same test': { told: 5, refused: 20, ended: 200 },
  'A, B: a read and an edit that are the same each time': { told: 5, refused: 9, ended: 19 },
  'A, B: a file that is read and written back': { told: 6, refused: 20, ended: 146 },
  'A, B: two commands': { told: 3, refused: 7, ended: 14 },
  'A, B, C: commands with other blanks each round': { told: 3, refused: 10, ended: 20 },
  'A, B: one fails, one does not': { told: 9, refused: 20, ended: 200 },
  'A, B: paths in other spellings each round': { told: 9, refused: null, ended: 200 },
  'A, B: answers with a clock in them': { told: 9, refused: 20, ended: 200 },
  'A, B: batches of three': { told: 9, refused: null, ended: 200 },
  'A, B, C in random order': { told: 13, refused: null, ended: 200 },
  'A, A, B, B': { told: 9, refused: null, ended: 200 },
  'A, B: a stalled status and a stalled log': { told: 9, refused: 20, ended: 200 },
  'a stalled status': { told: 3, refused: null, ended: 8 },
  'two stalled statuses': { told: 5, refused: 20, ended: 200 },
  'addresses that fail the same way': { told: 5, refused: null, ended: 5 },
  'edits that fail the same way': { told: 3, refused: null, ended: 5 },
  'commands that fail the same way': { told: 2, refused: null, ended: 15 },
  'commands that fail with a number': { told: 3, refused: null, ended: 15 },
  'arguments that are wrong in another way each time': { told: 5, refused: null, ended: 5 },
  'one file, read again between others': { told: 5, refused: 9, ended: 19 },
  'one file and its imports, all unchanged': { told: 7, refused: 13, ended: 26 },
  'work first, then A, B': { told: 5, refused: 30, ended: 200 },
  'A, B: an item added and removed': { told: 5, refused: 20, ended: 200 },
  'an edit, its test, the edit taken back, its test': { told: 5, refused: null, ended: 200 },
  'one search with blanks in other places': { told: 6, refused: 11, ended: 22 },
  'a request id that is new each time': { told: 4, refused: null, ended: 200 },
  'a clock among the arguments': { told: null, refused: null, ended: 200 },
  'a document that says that something is running': { told: 3, refused: null, ended: 8 },
  'a pending state, from a tool that is no poll': { told: 3, refused: null, ended: 8 },
  'a job started, and not finished, again and again': { told: 3, refused: null, ended: 8 },
  'a stalled job, with an unrelated name': { told: 3, refused: null, ended: 8 },
  'A, B: one fails the same way with other arguments, one returns the same': {
    told: 9,
    refused: null,
    ended: 200,
  },
};

function never(name: string): never {
  throw new Error(`${name}: what became of it before is not on record`);
}

export const pathologies: readonly Pathology[] = rows.map((row) => ({
  ...row,
  before: before[row.name] ?? never(row.name),
}));
