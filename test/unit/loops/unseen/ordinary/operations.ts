import { each, failed, one, type Run, rounds } from '../../runs/run.ts';

const bash = { effect: 'once', evidence: { shell: true } } as const;
const sh = (command: string, exitCode: number, stdout = '') =>
  one('bash', { command }, { exitCode, stdout, stderr: '' });

export const operations: readonly Run[] = [
  {
    name: 'sleep and curl in turn until the service is up',
    tools: { bash },
    steps: [
      ...rounds(8, () => [
        sh('sleep 10', 0),
        sh('curl -sf http://localhost:8080/health', 7, 'curl: (7) Failed to connect'),
      ]),
      sh('sleep 10', 0),
      sh('curl -sf http://localhost:8080/health', 0, '{"status":"up"}'),
    ],
  },
  {
    name: 'a deployment is started and asked for until it is done',
    tools: { deploy: 'once', deployment_status: 'read' },
    steps: [
      one('deploy', { app: 'web', version: '9' }, { id: 'd-4' }),
      ...each(9, (i) => one('deployment_status', { id: 'd-4' }, { status: i < 8 ? 'rolling out' : 'done' })),
    ],
  },
  {
    name: 'an API that answers 503 three times and is tried again',
    tools: { http_request: 'once' },
    steps: [
      ...each(3, () =>
        one(
          'http_request',
          { method: 'POST', url: 'https://api/x/reindex' },
          failed('503 Service Unavailable'),
        ),
      ),
      one('http_request', { method: 'POST', url: 'https://api/x/reindex' }, { status: 202 }),
      one('http_request', { method: 'GET', url: 'https://api/x/reindex' }, { status: 200, body: 'done' }),
    ],
  },
  {
    name: 'twelve hosts are restarted, each with the same answer',
    tools: { ssh: 'once' },
    steps: each(12, (i) =>
      one('ssh', { host: `web-${i}`, command: 'systemctl restart nginx' }, { exitCode: 0, stdout: '' }),
    ),
  },
  {
    name: 'the pods are listed after each of six scale steps',
    tools: { kubectl: 'idempotent' },
    steps: rounds(6, (i) => [
      one('kubectl', { args: `scale deploy/api --replicas=${i + 2}` }, 'deployment.apps/api scaled'),
      one('kubectl', { args: 'get pods -l app=api' }, each(i + 2, (n) => `api-${n} Running`).join('\n')),
    ]),
  },
  {
    name: 'a log is followed while a migration goes on',
    tools: { tail_log: 'read' },
    steps: each(10, (i) =>
      one(
        'tail_log',
        { file: 'migrate.log', lines: 5 },
        each(5, (n) => `migrated table t${5 * i + n}`).join('\n'),
      ),
    ),
  },
  {
    name: 'one alert is looked at from eight dashboards that show nothing',
    tools: { query_metrics: 'read' },
    steps: each(8, (i) =>
      one(
        'query_metrics',
        { dashboard: ['cpu', 'mem', 'disk', 'net', 'gc', 'db', 'queue', 'cdn'][i], range: '1h' },
        { anomalies: [] },
      ),
    ),
  },
  {
    name: 'a certificate is renewed, and its date read before and after',
    tools: { bash },
    steps: [
      sh('openssl x509 -enddate -noout -in a.pem', 0, 'notAfter=Jan 1'),
      sh('certbot renew', 1, 'port 80 in use'),
      sh('systemctl stop nginx', 0),
      sh('certbot renew', 0, 'renewed'),
      sh('systemctl start nginx', 0),
      sh('openssl x509 -enddate -noout -in a.pem', 0, 'notAfter=Apr 1'),
    ],
  },
];
