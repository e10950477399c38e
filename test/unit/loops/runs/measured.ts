import { each, failed, one, type Run, rounds } from './run.ts';

const hosts = ['auth', 'billing', 'search', 'mailer', 'gateway', 'worker', 'cache', 'media'];
const polled = (tool: string, before: unknown, after: unknown): Run => ({
  name: `${tool}, which has no name for a poll, asked until it is done`,
  tools: { [tool]: 'read' },
  steps: each(9, (i) => one(tool, { id: 'd-91' }, i < 8 ? before : after)),
});

/** Work by authors who had not read the guards. */
export const measured: readonly Run[] = [
  {
    name: 'one metric of eight hosts, all within limits',
    tools: { get_metric: 'read' },
    steps: hosts.map((host) =>
      one('get_metric', { name: 'errors', host }, 'ok, within limits for the last 24 h'),
    ),
  },
  {
    name: 'one room on eight days, fully booked',
    tools: { check_availability: 'read' },
    steps: each(8, (i) =>
      one(
        'check_availability',
        { id: 'room-4', date: `2025-12-0${i + 1}` },
        { available: false, reason: 'fully booked' },
      ),
    ),
  },
  polled('get_deployment', { status: 'PENDING' }, { status: 'DONE' }),
  polled(
    'get_job',
    { job: { id: 'j', state: 'CREATE_IN_PROGRESS' } },
    { job: { id: 'j', state: 'CREATED' } },
  ),
  polled('describe_instance', 'Not ready', 'ready'),
  {
    name: 'three jobs, polled in one reply until they are done',
    tools: { get_job: 'read' },
    steps: each(9, (i) =>
      each(3, (id) => ['get_job', { id }, { phase: i < 8 ? 'Running' : 'Succeeded' }] as const),
    ),
  },
  {
    name: 'requests looked up by their ids, all of them approved',
    tools: { get_request: 'read' },
    steps: each(9, (i) => one('get_request', { id: 'inbox', request_id: `r${i}` }, 'approved')),
  },
  {
    name: 'quality checks that all find nothing',
    tools: { run_sql: 'read' },
    steps: each(11, (i) =>
      one('run_sql', { sql: `SELECT * FROM customers WHERE c${i} IS NULL` }, { rows: [] }),
    ),
  },
  {
    name: 'lines of one file with fixed indentation',
    tools: { edit_file: 'idempotent' },
    steps: each(6, (i) =>
      one('edit_file', { path: 'a.py', old: 'x = 1', new: `${' '.repeat(i)}x = 1` }, 'Edited.'),
    ),
  },
  {
    name: 'a canary, step by step, with flat metrics',
    tools: { set_traffic: 'idempotent', get_metrics: 'read' },
    steps: rounds(7, (i) => [
      one('set_traffic', { version: 'v2', percent: 5 * i }, { ok: true }),
      one('get_metrics', { version: 'v2', window: '5m' }, { error_rate: 0, p99_ms: 120 }),
    ]),
  },
  {
    name: 'deleting in portions, counting in between',
    tools: { run_sql: 'read', exec_sql: 'once' },
    steps: rounds(8, (i) => [
      one('exec_sql', { sql: 'DELETE FROM logs WHERE old LIMIT 1000' }, { affected: i < 7 ? 1000 : 212 }),
      one(
        'run_sql',
        { sql: 'SELECT count(*) FROM logs WHERE old' },
        { rows: [[i < 7 ? 6212 - i * 1000 : 0]] },
      ),
    ]),
  },
  {
    name: 'a service that is down until it is up',
    tools: { http_get: 'read', restart_service: 'once', tail_log: 'read' },
    steps: [
      one('http_get', { url: 'http://api/health' }, failed('ECONNREFUSED')),
      one('tail_log', { file: 'api.log' }, 'FATAL: port in use'),
      one('restart_service', { name: 'api' }, { ok: true }),
      one('http_get', { url: 'http://api/health' }, failed('ECONNREFUSED')),
      one('tail_log', { file: 'api.log' }, 'INFO: starting'),
      one('http_get', { url: 'http://api/health' }, { status: 200 }),
    ],
  },
];
