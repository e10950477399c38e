import { each, one, type Run, rounds, type Step } from './run.ts';

const shell = { effect: 'once', evidence: { shell: true } } as const;
/** `n` equal answers, and one more. */
const until = (n: number, ask: (answer: unknown) => Step, before: unknown, after: unknown): Step[] => [
  ...each(n, () => ask(before)),
  ask(after),
];

/** Monitoring systems and changing their settings. */
export const operations: readonly Run[] = [
  {
    name: 'a deployment that is pending seven times',
    tools: { start_deployment: 'once', check_status: 'read' },
    steps: [
      one('start_deployment', { service: 'api', version: '1.4' }, { id: 'd1' }),
      ...until(7, (answer) => one('check_status', { id: 'd1' }, answer), 'PENDING', 'DONE'),
    ],
  },
  {
    name: 'a deployment that is pending nine times, with a clock in each answer',
    tools: { deployment_status: 'read' },
    steps: each(10, (i) =>
      one(
        'deployment_status',
        { id: 'd1' },
        { state: i < 9 ? 'PENDING' : 'DONE', timestamp: 1_770_000_000 + 5 * i },
      ),
    ),
  },
  {
    name: 'a tool that declares that it polls, with another name',
    tools: { rollout: { effect: 'read', poll: true } },
    steps: until(8, (answer) => one('rollout', { id: 'r1' }, answer), { ready: '1/3' }, { ready: '3/3' }),
  },
  {
    name: 'waiting and looking, in turn',
    tools: { wait: 'idempotent', get_deployment_status: 'read' },
    steps: rounds(8, (i) => [
      one('wait', { seconds: 30 }, 'waited'),
      one('get_deployment_status', { id: 'd2' }, i < 7 ? 'PENDING' : 'DONE'),
    ]),
  },
  {
    name: 'sleeping and looking, in turn',
    tools: { sleep: 'idempotent', job_status: 'read' },
    steps: rounds(7, (i) => [
      one('sleep', { seconds: 20 }, 'ok'),
      one('job_status', { id: 'j' }, { state: i < 6 ? 'running' : 'succeeded' }),
    ]),
  },
  {
    name: 'waiting and looking, with an unrelated name',
    tools: { wait: 'idempotent', list_builds: 'read' },
    steps: rounds(7, (i) => [
      one('wait', { seconds: 60 }, 'waited'),
      one('list_builds', { branch: 'main' }, [{ id: 8, state: i < 6 ? 'running' : 'passed' }]),
    ]),
  },
  {
    name: 'a shell that sleeps and looks',
    tools: { bash: shell },
    steps: until(
      6,
      (stdout) =>
        one('bash', { command: 'sleep 20 && kubectl get pods -l app=api' }, { exitCode: 0, stdout }),
      'api-1 0/1 ContainerCreating',
      'api-1 1/1 Running',
    ),
  },
  {
    name: 'a job that reports its progress',
    tools: { get_job: 'read' },
    steps: each(15, (i) => one('get_job', { id: 'export' }, { percent: Math.min(100, 7 * i) })),
  },
  {
    name: 'five jobs looked at together until all are done',
    tools: { job_status: 'read' },
    steps: each(7, (round) =>
      each(5, (job) => ['job_status', { id: `j${job}` }, round >= 2 + job ? 'done' : 'running'] as const),
    ),
  },
  {
    name: 'a queue that drains',
    tools: { get_queue_depth: 'read' },
    steps: each(9, (i) => one('get_queue_depth', { queue: 'orders' }, { depth: 4_000 - 500 * i })),
  },
  {
    name: 'twelve pages of a log',
    tools: { get_logs: 'read' },
    steps: each(12, (i) =>
      one(
        'get_logs',
        { service: 'api', cursor: `c${i}` },
        { lines: [`GET /a ${200 + i}`], next: `c${i + 1}` },
      ),
    ),
  },
  {
    name: 'the tail of a log that grows',
    tools: { tail_log: 'read' },
    steps: each(8, (i) => one('tail_log', { service: 'api', lines: 50 }, `... request ${i} served`)),
  },
  {
    name: 'six services restarted',
    tools: { stop_service: 'once', start_service: 'once', check_health: 'read' },
    steps: rounds(6, (i) => [
      one('stop_service', { name: `s${i}` }, 'ok'),
      one('start_service', { name: `s${i}` }, 'ok'),
      one('check_health', { name: `s${i}` }, 'healthy'),
    ]),
  },
  {
    name: 'twelve hosts pinged',
    tools: { ping_host: 'read' },
    steps: each(12, (i) => one('ping_host', { host: `10.0.0.${i}` }, 'alive')),
  },
  {
    name: 'replicas raised until the latency falls',
    tools: { set_replicas: 'idempotent', get_metrics: 'read' },
    steps: rounds(6, (i) => [
      one('set_replicas', { service: 'api', n: 3 + i }, 'ok'),
      one('get_metrics', { service: 'api' }, { p95: 900 - 100 * i, errors: 0 }),
    ]),
  },
  {
    name: 'commands on eight machines, each with the same answer',
    tools: { run_command: 'once' },
    steps: each(8, (i) =>
      one('run_command', { host: `web${i}`, command: 'systemctl is-active nginx' }, 'active'),
    ),
  },
  {
    name: 'the checks of a pull request, pending seven times',
    tools: { bash: shell },
    steps: until(
      7,
      (stdout) =>
        one('bash', { command: 'gh pr checks 12' }, { exitCode: stdout === 'build pass' ? 0 : 8, stdout }),
      'build pending',
      'build pass',
    ),
  },
  {
    name: 'a rollout that is waited for in pieces',
    tools: { bash: shell },
    steps: until(
      7,
      (stdout) =>
        one(
          'bash',
          { command: 'cd /srv && kubectl -n web rollout status deploy/web --timeout=60s' },
          { exitCode: stdout === 'successfully rolled out' ? 0 : 1, stdout },
        ),
      'Waiting for deployment "web" rollout to finish: 1 of 3 updated replicas are available...',
      'successfully rolled out',
    ),
  },
  {
    name: 'alarms looked at after each of five measures',
    tools: { list_alarms: 'read', apply_fix: 'once' },
    steps: rounds(5, (i) => [
      one('list_alarms', {}, i < 4 ? ['disk full on db1'] : []),
      one('apply_fix', { step: i, what: `archive ${i}` }, 'ok'),
    ]),
  },
];
