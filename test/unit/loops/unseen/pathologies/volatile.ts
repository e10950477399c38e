import { each, one } from '../../runs/run.ts';
import { alternating, digits, type Endless, hex } from './pathology.ts';

const bash = { effect: 'once', evidence: { shell: true } } as const;

/** The same answer, in which only something volatile moves. */
export const volatile: readonly Endless[] = [
  {
    name: 'epoch milliseconds in text',
    tools: { get_state: 'read' },
    step: (i) => one('get_state', { id: 1 }, `state idle as of ${1_770_000_000_000 + 937 * i}`),
  },
  {
    name: 'epoch seconds in a list',
    tools: { get_state: 'read' },
    step: (i) => one('get_state', { id: 1 }, ['idle', 1_770_000_000 + i]),
  },
  {
    name: 'a log that grows by one line',
    tools: { read_log: 'read' },
    step: (i) =>
      one(
        'read_log',
        { file: 'app.log' },
        each(i + 3, (n) => `2026-03-01 10:00:${10 + n} INFO heartbeat`).join('\n'),
      ),
  },
  {
    name: 'a log whose last line has a counter',
    tools: { read_log: 'read' },
    step: (i) => one('read_log', { file: 'app.log' }, `worker idle\nheartbeat #${i}`),
  },
  {
    name: 'a UUID in the answer',
    tools: { get_user: 'read' },
    step: (i) =>
      one(
        'get_user',
        { id: 1 },
        `user Ann (trace ${hex(i)}-1a2b-4c3d-8e9f-${hex(i + 1)}${hex(i).slice(0, 4)})`,
      ),
  },
  {
    name: 'durations in words',
    tools: { search: 'read' },
    step: (i) => one('search', { q: 'lighthouse' }, `3 hits in ${i + 2} milliseconds: a, b, c`),
  },
  {
    name: 'an ETag and a date in headers',
    tools: { http_get: 'read' },
    step: (i) =>
      one(
        'http_get',
        { url: 'https://x.example' },
        {
          status: 200,
          headers: { date: `Sun, 01 Mar 2026 10:00:${10 + (i % 50)} GMT`, etag: `"${hex(i)}"` },
          body: 'Welcome',
        },
      ),
  },
  {
    name: 'an uptime that grows',
    tools: { bash },
    step: (i) =>
      one(
        'bash',
        { command: 'uptime' },
        { exitCode: 0, stdout: ` 10:${10 + (i % 50)}:01 up ${3 + i} min, 1 user`, stderr: '' },
      ),
  },
  {
    name: 'a process id in the answer',
    tools: { bash },
    step: (i) =>
      one(
        'bash',
        { command: './start.sh' },
        { exitCode: 0, stdout: `started, pid ${4000 + 3 * i}`, stderr: '' },
      ),
  },
  {
    name: 'a temporary folder in the answer',
    tools: { bash },
    step: (i) =>
      one(
        'bash',
        { command: './export.sh' },
        { exitCode: 0, stdout: `written to /tmp/tmp.${hex(i)}/out.csv`, stderr: '' },
      ),
  },
  {
    name: 'a view counter on a page',
    tools: { get_page: 'read' },
    step: (i) => one('get_page', { id: 4 }, { title: 'Rules', text: 'No running.', views: 3000 + i }),
  },
  {
    name: 'ages in words',
    tools: { list_jobs: 'read' },
    step: (i) => one('list_jobs', {}, `nightly  ok  ${i + 1} minutes ago`),
  },
  {
    name: 'a page in two turns, with a nonce',
    tools: { get_page: 'read', get_menu: 'read' },
    step: alternating(
      (r) => one('get_page', { id: 4 }, { text: 'No running.', nonce: hex(r) }),
      (r) => one('get_menu', {}, { items: ['home'], requestId: hex(r + 5) }),
    ),
  },
  {
    name: 'a read that fails with a request id in the error',
    tools: { get_page: 'read' },
    step: (i) => one('get_page', { id: 4 }, { error: `not allowed (req_${hex(i)}${digits(i)})` }),
  },
];
