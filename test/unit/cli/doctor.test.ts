import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { accountOf } from '../../../cli/doctor/account.ts';
import { stackOf } from '../../../cli/doctor/aws.ts';
import { agentsAt, workAt } from '../../../cli/doctor/deployment.ts';
import { linesOf } from '../../../cli/doctor/doctor.ts';
import { look, ok, skipped, wrong } from '../../../cli/doctor/finding.ts';
import { slackOf } from '../../../cli/doctor/slack.ts';
import { headersFor, webhooksOf } from '../../../cli/doctor/webhooks.ts';
import { verifyDelivery } from '../../../functions/webhooks/verify.ts';
import { accountReader } from '../../../local/doctor-account.ts';
import { awsReader } from '../../../local/doctor-aws.ts';
import { plain } from '../../../local/paint.ts';
import { startSlack } from '../../../local/slack/emulated/start.ts';
import { Verification } from '../../../shared/agent/define/webhook-verify.ts';
import { scopesFor } from '../../../shared/slack/scopes.ts';
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
    { kind: 'hmac', value: 'hush', header: 'X-Shop-Signature', algorithm: 'sha512', encoding: 'base64' },
    {
      ...{ kind: 'hmac', value: 'hush', header: 'X-Shop-Signature', prefix: 'v1=', idHeader: 'X-Shop-Id' },
      timestamp: { header: 'X-Shop-Time', unit: 'ms', signed: 'v1:{timestamp}:{body}' },
    },
  ] as const)(
    'signs as senders of $kind do, with a body that no mapping gets',
    async ({ value, ...rule }) => {
      const how = Verification.parse({ ...rule, secret: 'HOOK' });
      const { kind } = rule;
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
    },
  );
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

describe('the doctor, of an account', () => {
  const outputs = {
    AgentsStepQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/steps',
    AgentsAlarmsTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  };
  const account = (limit: number, unreserved: number, steps: number | undefined) => ({
    concurrency: async () => ({ limit, unreserved }),
    stepsAtOnce: async () => steps,
    listeners: async () => ({ confirmed: 1, pending: 0 }),
  });
  const about = async (reader: object, of: string, named: Record<string, string> = outputs) =>
    (await accountOf(named, reader as never)).filter((finding) => finding.of === of);

  test.each([
    { limit: 1_000, unreserved: 800, steps: 50, state: 'ok' },
    { limit: 1_000, unreserved: 800, steps: undefined, state: 'ok' },
    { limit: 1_000, unreserved: 40, steps: 50, state: 'wrong' },
    { limit: 10, unreserved: 10, steps: 50, state: 'wrong' },
    { limit: 1_000, unreserved: 90, steps: 50, state: 'look' },
  ])(
    'finds the concurrency of the account $state if $steps steps may run and $unreserved of $limit are unreserved',
    async ({ limit, unreserved, steps, state }) => {
      const [found] = await about(account(limit, unreserved, steps), 'concurrency');
      expect(found?.state).toBe(state);
      if (state !== 'ok') expect(found?.mend).toContain('Service Quotas');
    },
  );

  test.each([
    { confirmed: 1, pending: 0, state: 'ok', says: '' },
    { confirmed: 0, pending: 1, state: 'wrong', says: 'confirmation' },
    { confirmed: 0, pending: 0, state: 'wrong', says: 'no subscriber' },
  ])(
    'finds alarms $state with $confirmed subscribers and $pending pending',
    async ({ state, says, ...some }) => {
      const reader = { ...account(1_000, 1_000, 50), listeners: async () => some };
      const [found] = await about(reader, 'alarms');
      expect(found?.state).toBe(state);
      expect(found?.says).toContain(says);
    },
  );

  test('finds a deployment whose alarms go to no topic, and reports what AWS refuses', async () => {
    const { AgentsStepQueueUrl } = outputs;
    const [found] = await about(account(1_000, 1_000, 50), 'alarms', { AgentsStepQueueUrl });
    expect(found?.state).toBe('look');
    const refuses = {
      ...account(1_000, 1_000, 50),
      concurrency: () => Promise.reject(new Error('AccessDenied')),
    };
    expect((await about(refuses, 'concurrency'))[0]?.says).toBe('AWS refuses: AccessDenied');
    expect(await accountOf({ Other: 'x' }, refuses as never)).toEqual([]);
  });

  test('is read as AWS tells of it', async () => {
    const asked: string[] = [];
    const mapping = (queue: string, most?: number) => ({
      EventSourceArn: `arn:aws:sqs:eu-central-1:123456789012:${queue}`,
      FunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:step',
      ...(most !== undefined && { ScalingConfig: { MaximumConcurrency: most } }),
    });
    using aws = await server((url, headers) => {
      asked.push(`${url} ${/Credential=[^,]*/.exec(String(headers.authorization))?.[0]}`);
      if (url.startsWith('/2016-08-19/account-settings/'))
        return [200, { AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 800 } }];
      if (url.includes('EventSourceArn=')) return [200, { EventSourceMappings: [mapping('steps', 20)] }];
      if (url.includes('FunctionName='))
        return [200, { EventSourceMappings: [mapping('steps', 20), mapping('steps-1', 30)] }];
      return [200, '<entry><key>SubscriptionsConfirmed</key><value>2</value></entry>'];
    });
    const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
    const reader = accountReader({ endpoint: aws.url, credentials });
    expect(await reader.concurrency(outputs.AgentsStepQueueUrl)).toEqual({ limit: 1_000, unreserved: 800 });
    expect(await reader.stepsAtOnce(outputs.AgentsStepQueueUrl)).toBe(50);
    expect(await reader.listeners(outputs.AgentsAlarmsTopicArn)).toEqual({ confirmed: 2, pending: 0 });
    expect(asked[0]).toMatch(/Credential=id\/\d{8}\/eu-central-1\/lambda\/aws4_request$/);
    expect(asked.at(-1)).toMatch(/\/sns\/aws4_request$/);
  });

  test('reports the words of a refusal', async () => {
    using aws = await server(() => [403, { Message: 'User: x is not authorized' }]);
    const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
    const reader = accountReader({ endpoint: aws.url, credentials });
    await expect(reader.concurrency(outputs.AgentsStepQueueUrl)).rejects.toThrow('403');
  });
});

describe('the doctor, of Slack', () => {
  const config = { agentFor: () => 'support' };
  const events = ['app_home_opened', 'app_mention', 'app_uninstalled', 'message.im', 'tokens_revoked'];
  const manifest = (bot_events: string[], callbacks: string[] = []) => ({
    settings: { event_subscriptions: { bot_events } },
    features: { shortcuts: callbacks.map((callback_id) => ({ callback_id })) },
  });
  const slack = (exported: object) =>
    server((url) => {
      if (url.endsWith('/auth.test')) return [200, { ok: true, bot_id: 'B1', team: 'Tidepool' }];
      if (url.endsWith('/bots.info')) return [200, { ok: true, bot: { app_id: 'A1' } }];
      return [200, { ok: true, manifest: exported }];
    });

  test('finds scopes that the definition needs and the bot lacks', async () => {
    const emulated = await startSlack();
    try {
      const tokens = { bot: 'xoxp-emulated-ada' };
      const all = await slackOf({ ...config, reactions: { memo: 'Sum up.' } }, tokens, emulated.apiUrl);
      expect(states(all)).toEqual(['ok Slack scopes', 'skipped Slack events']);
      emulated.grant(scopesFor({}).filter((scope) => scope !== 'files:read'));
      const [found] = await slackOf({ ...config, reactions: { memo: 'Sum up.' } }, tokens, emulated.apiUrl);
      expect(found).toMatchObject({
        state: 'wrong',
        says: expect.stringContaining('files:read, reactions:read'),
      });
      expect(found?.mend).toContain('install the app again');
    } finally {
      await emulated.stop();
    }
  });

  test('finds events and shortcuts that the app lacks, with a token for its manifest', async () => {
    const tokens = { bot: 'xoxb-1', config: 'xoxe-1' };
    const wanting = {
      ...config,
      replies: () => true,
      shortcuts: { translate: { title: 'T', asks: 'Translate.' } },
    };
    using lacks = await slack(manifest(events));
    const found = await slackOf(wanting, tokens, `${lacks.url}/api/`);
    expect(found.at(-1)).toMatchObject({
      state: 'wrong',
      says: expect.stringMatching(/message\.channels, message\.groups, message\.mpim.* translate/),
      mend: expect.stringContaining('--thread-replies'),
    });
    using has = await slack(
      manifest([...events, 'message.channels', 'message.groups', 'message.mpim'], ['translate']),
    );
    expect((await slackOf(wanting, tokens, `${has.url}/api/`)).at(-1)?.state).toBe('ok');
  });

  test('is not asked without slack or a token, and says why when Slack refuses', async () => {
    expect(await slackOf(undefined, { bot: 'xoxb-1' })).toEqual([]);
    expect(states(await slackOf(config, {}))).toEqual(['skipped Slack scopes']);
    using refuses = await server(() => [200, { ok: false, error: 'invalid_auth' }]);
    const [found] = await slackOf(config, { bot: 'xoxb-1' }, `${refuses.url}/api/`);
    expect(found).toMatchObject({ state: 'wrong', says: expect.stringContaining('invalid_auth') });
    expect(JSON.stringify(found)).not.toContain('xoxb-1');
    using mute = await server((url) =>
      url.endsWith('/auth.test')
        ? [200, { ok: true, bot_id: 'B1' }]
        : [200, { ok: false, error: 'token_expired' }],
    );
    const partly = await slackOf(config, { bot: 'xoxb-1', config: 'xoxe-1' }, `${mute.url}/api/`);
    expect(states(partly)).toEqual(['skipped Slack scopes', 'wrong Slack events']);
    expect(partly[1]?.says).toContain('token_expired');
  });
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
