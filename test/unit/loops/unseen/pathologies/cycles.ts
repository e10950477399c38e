import { each, one, type Step } from '../../runs/run.ts';
import { alternating, digits, type Endless, hex, inTurn } from './pathology.ts';

const reads = (n: number): Step[] => each(n, (i) => one('read_file', { path: `f${i}.txt` }, `text ${i}`));
const bash = { effect: 'once', evidence: { shell: true } } as const;

/** Rounds without end. */
export const cycles: readonly Endless[] = [
  { name: 'two files in turn', tools: { read_file: 'read' }, step: inTurn(...reads(2)) },
  { name: 'five files in turn', tools: { read_file: 'read' }, step: inTurn(...reads(5)) },
  {
    name: 'a cycle of four tools',
    tools: { a: 'read', b: 'read', c: 'read', d: 'read' },
    step: inTurn(one('a', {}, 1), one('b', {}, 2), one('c', {}, 3), one('d', {}, 4)),
  },
  {
    name: 'a switch on and off',
    tools: { set_switch: 'idempotent' },
    step: inTurn(one('set_switch', { on: true }, 'ok'), one('set_switch', { on: false }, 'ok')),
  },
  {
    name: 'a file written and taken back',
    tools: { write_file: 'idempotent', bash },
    step: inTurn(
      one('write_file', { path: 'a.txt', text: '1' }, 'ok'),
      one('bash', { command: 'git checkout a.txt' }, { exitCode: 0, stdout: 'Updated 1 path', stderr: '' }),
    ),
  },
  {
    name: 'the same batch of five reads',
    tools: { read_file: 'read' },
    step: () => reads(5).flat(),
  },
  {
    name: 'a search in nine spellings without a hit',
    tools: { search: 'read' },
    step: (i) => one('search', { q: `manual ${'abcdefghi'[i % 9]}` }, { hits: [] }),
  },
  {
    name: 'a tree walked again from its root after three folders',
    tools: { list: 'read' },
    step: inTurn(
      one('list', { path: '.' }, ['src', 'docs']),
      one('list', { path: 'src' }, ['a']),
      one('list', { path: 'docs' }, ['b']),
    ),
  },
  {
    name: 'one question to a person’s calendar, with another wording of the time zone',
    tools: { get_calendar: 'read' },
    step: (i) => one('get_calendar', { day: '2026-03-01', note: `try ${i}` }, { events: [] }),
  },
  {
    name: 'one help page under many flags',
    tools: { bash },
    step: (i) =>
      one(
        'bash',
        { command: `tool --opt${i} --help` },
        { exitCode: 0, stdout: 'usage: tool [options]', stderr: '' },
      ),
  },
  {
    name: 'a state that is asked for without a pause and stays',
    tools: { get_job: 'read' },
    step: inTurn(one('get_job', { id: 1 }, { status: 'pending' })),
  },
  {
    name: 'sleep and a state that stays',
    tools: { bash },
    step: inTurn(
      one('bash', { command: 'sleep 60' }, { exitCode: 0, stdout: '', stderr: '' }),
      one('bash', { command: 'gh run view 7' }, { exitCode: 0, stdout: 'in progress', stderr: '' }),
    ),
  },
  {
    name: 'a thought tool with new words and no work',
    tools: { think: 'read' },
    step: (i) => one('think', { thought: `I should look at part ${i} again.` }, 'ok'),
  },
  {
    name: 'a list of tasks that is written again and never worked on',
    tools: { write_todos: 'idempotent' },
    step: (i) =>
      one(
        'write_todos',
        { todos: [{ text: 'mend the parser', state: i % 2 ? 'open' : 'in progress' }] },
        'Todos updated.',
      ),
  },
  {
    name: 'one edit in two directions with a test between',
    tools: { edit_file: 'idempotent', run_tests: 'read' },
    step: inTurn(
      one('edit_file', { path: 'a.ts', old: '<', new: '<=' }, 'ok'),
      one('run_tests', {}, { exitCode: 1, output: 'case 3 fails' }),
      one('edit_file', { path: 'a.ts', old: '<=', new: '<' }, 'ok'),
      one('run_tests', {}, { exitCode: 1, output: 'case 1 fails' }),
    ),
  },
  {
    name: 'four files in a shuffled order',
    tools: { read_file: 'read' },
    step: (i) => reads(4)[(i * i + 3 * i) % 4 === 0 ? (i * 7) % 4 : (i * 5 + 1) % 4] ?? [],
  },
  {
    name: 'an answer that is echoed under another nonce',
    tools: { echo: 'read' },
    step: (i) => one('echo', { text: hex(i) }, hex(i)),
  },
  {
    name: 'a mail that is only reworded',
    tools: { draft_mail: 'idempotent' },
    step: (i) => one('draft_mail', { text: `Dear Ann, version ${i} of these lines.` }, `Draft ${i} saved.`),
  },
  {
    name: 'ranges of one file that walk on past its end',
    tools: { read_file: 'read' },
    step: (i) => one('read_file', { path: 'a.log', from: 100 * i, lines: 100 }, i < 5 ? `part ${i}` : ''),
  },
  {
    name: 'prices of one share, asked for without an end',
    tools: { get_price: 'read' },
    step: (i) => one('get_price', { share: 'X' }, { price: 100 + (digits(i) % 900) / 100 }),
  },
  {
    name: 'a cycle of fifteen lookups',
    tools: { get_item: 'read' },
    step: inTurn(...each(15, (i) => one('get_item', { id: i }, `item ${i}`))),
  },
  {
    name: 'progress reports without a reader, between reads of one file',
    tools: { report: 'once', read_file: 'read' },
    step: alternating(
      (r) => one('report', { text: `Still working on it, round ${r}.` }, 'ok'),
      () => one('read_file', { path: 'a.txt' }, 'text'),
    ),
  },
];
