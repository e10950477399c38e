import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { stackOf } from '../../../cli/doctor/aws.ts';
import { agentsAt, workAt } from '../../../cli/doctor/deployment.ts';
import { linesOf } from '../../../cli/doctor/doctor.ts';
import { look, ok, skipped, wrong } from '../../../cli/doctor/finding.ts';
import { headersFor, webhooksOf } from '../../../cli/doctor/webhooks.ts';
import { verifyDelivery } from '../../../functions/webhooks/verify.ts';
import { awsReader } from '../../../local/doctor-aws.ts';
import { plain } from '../../../local/paint.ts';
import { Verification } from '../../../shared/agent/define/webhook-verify.ts';
import { type HttpClient, httpClient, type SessionsAsked } from '../../../web/client/index.ts';
import { evalProject } from '../../support/eval-project.ts';
import { ruleModel, sayText } from '../../support/rule-model.ts';

async function server(answer: (url: string, headers: Record<string, unknown>) => readonly [number, unknown]) {
  const http = createServer((request, response) => {
    const [status, body] = answer(request.url ?? '', request.headers);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { url, [Symbol.dispose]: () => void http.close() };
}

const agent = (name: string, version: string) => ({ name, version }) as never;
const states = (found: readonly { state: string; of: string }[]) =>
  found.map(({ state, of }) => `${state} ${of}`);

describe('the doctor, of a deployment', () => {
  test('finds agents that are not deployed, or not as they are defined', async () => {
    using it = await server(() => [
      200,
      {
        agents: [
          { name: 'old', version: '1' },
          { name: 'mine', version: '1' },
        ],
      },
    ]);
    const agents = [agent('mine', '2'), agent('new', '1')];
    const found = await agentsAt(it.url, { agents });
    expect(states(found)).toEqual(['ok deployment', 'wrong agent mine', 'wrong agent new', 'look agent old']);
    expect(found[1]?.says).toBe('The deployment has version 1, and the definition 2.');
  });

  test('says so when nothing answers, or something else does', async () => {
    using it = await server(() => [200, { hello: 'world' }]);
    for (const url of [it.url, 'http://127.0.0.1:1'])
      expect(states(await agentsAt(url, undefined))).toEqual(['wrong deployment']);
  });

  test('finds sessions that wait too long, runs that failed, and deliveries that are left over', async () => {
    const asked: SessionsAsked[] = [];
    const client = (some: object) =>
      ({
        sessions: async (query: SessionsAsked) => {
          asked.push(query);
          const [state = ''] = query.state ?? [];
          return { sessions: (some as Record<string, object[]>)[state] ?? [] };
        },
        deadDeliveries: async () => (some as { dead?: object[] }).dead ?? [],
      }) as unknown as HttpClient;
    const now = Date.parse('2026-11-27T12:00:00.000Z');
    expect(states(await workAt(client({}), now))).toEqual(['ok sessions', 'ok webhooks']);
    expect(asked).toContainEqual({ state: ['running'], until: '2026-11-27T11:00:00.000Z', limit: 100 });
    expect(asked).toContainEqual({ state: ['error'], since: '2026-11-26T12:00:00.000Z', limit: 100 });

    const ill = client({
      running: [{ sessionId: 's1' }],
      error: [
        { sessionId: 's2', reason: 'provider_error' },
        { sessionId: 's3', reason: 'provider_error' },
      ],
      dead: [{ at: '2026-11-20T00:00:00.000Z', reason: 'map_failed' }],
    });
    const found = await workAt(ill, now);
    expect(states(found)).toEqual(['look sessions', 'look runs that failed', 'wrong webhooks']);
    expect(found[1]?.says).toBe('2 of the last day with provider_error, such as s2.');

    const resting = client({ waiting_for_tool: [{ sessionId: 's4', reason: 'awaiting_timer' }] });
    expect(states(await workAt(resting, now))).toEqual(['ok sessions', 'ok webhooks']);
  });

  test('without webhooks has no route for dead deliveries, and nothing is wrong', async () => {
    using it = await server((url) =>
      url.startsWith('/sessions') ? [200, { sessions: [] }] : [404, { message: 'Not Found' }],
    );
    const client = httpClient({ httpUrl: it.url, token: 't' });
    expect(states(await workAt(client, Date.now()))).toEqual(['ok sessions', 'ok webhooks']);
  });
});

describe('the doctor, of webhooks', () => {
  const verification = { kind: 'github', secret: 'HOOK' } as const;
  const secrets = { HOOK: 'hush' };

  test.each([
    { answers: 401, signed: 400, state: 'ok' },
    { answers: 401, signed: 401, state: 'wrong' },
    { answers: 404, signed: 404, state: 'wrong' },
    { answers: 500, signed: 500, state: 'wrong' },
    { answers: 202, signed: 202, state: 'wrong' },
  ])(
    'is $state if an unsigned delivery gets $answers and a signed one $signed',
    async ({ answers, signed, state }) => {
      using it = await server((_url, headers) => [headers['x-hub-signature-256'] ? signed : answers, {}]);
      const webhooks = { shop: { verify: verification } };
      expect(states(await webhooksOf(webhooks as never, it.url, secrets))).toEqual([`${state} webhook shop`]);
    },
  );

  test.each([
    { kind: 'github', value: 'hush' },
    { kind: 'stripe', value: 'whsec_hush' },
    { kind: 'standard', value: 'whsec_aHVzaGh1c2hodXNoaHVzaGh1c2hodXNo' },
  ] as const)('signs as senders of $kind do, with a body that no mapping gets', async ({ kind, value }) => {
    const how = Verification.parse({ kind, secret: 'HOOK' });
    const deliver = (headers: Readonly<Record<string, string>> = {}) => {
      const all: Readonly<Record<string, string>> = { 'content-type': 'application/json', ...headers };
      const request = {
        body: Buffer.from('steploop doctor'),
        header: (name: string) => all[name],
        at: Date.now(),
      };
      return verifyDelivery(request as Parameters<typeof verifyDelivery>[0], [value], how, () => false);
    };
    await expect(deliver(headersFor(how, value))).rejects.toMatchObject({ problem: { status: 400 } });
    await expect(
      deliver(headersFor(how, kind === 'standard' ? 'whsec_b3RoZXJvdGhlcm90aGVyb3RoZXI=' : 'other')),
    ).rejects.toMatchObject({ problem: { status: 401 } });
    expect(headersFor(how, undefined)).toBeUndefined();
  });
});

test('the doctor, of a stack, finds steps that failed and secrets that were never set', async () => {
  const facts = { models: { primary: { secret: 'ANTHROPIC_API_KEY' } }, secrets: {} } as never;
  const outputs = {
    AgentsDeadLetterQueueUrl1A2B: 'ignored',
    AgentsDeadLetterQueueUrl: 'queue',
    AgentsSecretAnthropicApiKey: 'arn',
  };
  const account = (messages: number, wasSet: boolean) => ({
    messages: async () => messages,
    wasSet: async () => wasSet,
  });
  expect(states(await stackOf(outputs, facts, account(0, true)))).toEqual([
    'ok dead letters',
    'ok ANTHROPIC_API_KEY',
  ]);
  expect(states(await stackOf(outputs, facts, account(3, false)))).toEqual([
    'wrong dead letters',
    'wrong ANTHROPIC_API_KEY',
  ]);
  const refuses = { messages: () => Promise.reject(new Error('AccessDenied')), wasSet: async () => true };
  expect((await stackOf(outputs, facts, refuses))[0]?.says).toBe('AWS refuses: AccessDenied');
  expect(states(await stackOf({}, facts, account(0, true)))).toEqual(['skipped outputs']);
});

test('the doctor reads queues and secrets as AWS tells of them', async () => {
  const created = 1_795_000_000;
  using aws = await server((_url, headers) => {
    const target = String(headers['x-amz-target']);
    if (target === 'AmazonSQS.GetQueueAttributes')
      return [200, { Attributes: { ApproximateNumberOfMessages: '4' } }];
    return [200, { ARN: 'arn', CreatedDate: created, LastChangedDate: created + (changed ? 3_600 : 1) }];
  });
  let changed = false;
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  const reader = awsReader({ endpoint: aws.url, region: 'eu-central-1', credentials });
  expect(await reader.messages(`${aws.url}/123456789012/dead`)).toBe(4);
  const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:key-AbCdEf';
  expect(await reader.wasSet(arn)).toBe(false);
  changed = true;
  expect(await reader.wasSet(arn)).toBe(true);
});

test('findings are shown with the wrong ones first, and how to mend them', () => {
  const found = [
    ok('a', 'Fine.'),
    skipped('b', 'Not asked.'),
    look('c', 'Old.', 'Look.'),
    wrong('d', 'Broken.', 'Mend it.'),
  ];
  expect(linesOf(found, plain)).toEqual([
    'wrong  d: Broken.',
    '       Mend it.',
    'look   c: Old.',
    '       Look.',
    '–      b: Not asked.',
    'ok     a: Fine.',
    '',
    '1 wrong, 1 worth a look, 1 in order, 1 not checked.',
  ]);
});

describe('steploop doctor, in a project that steploop init created', { timeout: 120_000 }, () => {
  const template = 'cli/init/template/support';
  const made = () =>
    evalProject({
      [`${template}/agents`]: 'agents',
      [`${template}/steploop.config.ts`]: 'steploop.config.ts',
    });

  test('asks the model with the key of this machine, and has nothing to say', async () => {
    using project = made();
    await using model = await ruleModel(() => sayText('Yes.'));
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: model.url };
    const { code, stdout, stderr } = await project.steploop(['doctor'], env);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^ok {5}model claude-sonnet-5-5: It answers/m);
    expect(stdout).toContain('STEPLOOP_URL is not set, and nothing has run here.');
    expect(code).toBe(0);
  });

  test('reports a key that the server refuses, without showing it', async () => {
    using project = made();
    using refuses = await server(() => [
      401,
      { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
    ]);
    const env = { ANTHROPIC_API_KEY: 'sk-hush', ANTHROPIC_BASE_URL: refuses.url };
    const { code, stdout, stderr } = await project.steploop(['doctor', '--json'], env);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        state: 'wrong',
        of: 'model claude-sonnet-5-5',
        says: expect.stringContaining('invalid x-api-key'),
        mend: expect.stringContaining('ANTHROPIC_API_KEY'),
      }),
    );
    expect(stdout + stderr).not.toContain('sk-hush');
    expect(code).toBe(1);
  });

  test('reports a definition that does not load, and a file that holds no outputs', async () => {
    using project = made();
    project.edit('steploop.config.ts', 'agents:', 'agent:');
    const broken = await project.steploop(['doctor', '--offline']);
    expect(broken.stdout).toMatch(/^wrong {2}definition: .*agent/m);
    expect(broken.code).toBe(1);
    const none = await project.steploop(['doctor', '--outputs', 'package.json']);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('cdk deploy --outputs-file package.json');
  });
});
