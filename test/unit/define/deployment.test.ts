import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition } from '../../../shared/agent/define/agent.ts';
import { defineChannel } from '../../../shared/agent/define/channel.ts';
import type { DeploymentDefinition } from '../../../shared/agent/define/deployment-keys.ts';
import { describeDeployment } from '../../../shared/agent/define/facts.ts';
import {
  defineAgent,
  defineDeployment,
  defineTool,
  defineToolSource,
  defineWebhook,
  type ToolSpec,
} from '../../../shared/agent/define/index.ts';

const tool = (name: string, more: Partial<ToolSpec> = {}) =>
  defineTool({
    name,
    description: 'A tool.',
    effect: 'read',
    input: z.object({}),
    run: () => 'ok',
    ...(more as object),
  });
const agent = (name: string, more: Partial<AgentDefinition> = {}) =>
  defineAgent({ name, version: '1', model: { name: 'm' }, system: 's', ...more });
const hook = (secret: string) => defineWebhook({ verify: { kind: 'stripe', secret }, map: () => undefined });
const channel = defineChannel({
  verify: { kind: 'custom', verify: () => true },
  secrets: ['SMS_KEI'],
  read: () => undefined,
  ask: async () => undefined,
  answer: async () => undefined,
});
const described = (text: string) => ({ description: text });

/** The errors for a wrong definition. */
function said(definition: unknown): string {
  try {
    defineDeployment(definition as DeploymentDefinition);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing is said');
}

describe('a deployment', () => {
  test('with only agents has Anthropic’s server and its key, and nothing else', () => {
    const deployment = defineDeployment({ agents: [agent('a')] });
    expect(deployment).toMatchObject({
      webhooks: {},
      agui: false,
      chat: false,
      callbacks: false,
      settings: {},
      secrets: { ANTHROPIC_API_KEY: { description: 'API key of Anthropic.' } },
      models: {
        primary: { baseUrl: 'https://api.anthropic.com', auth: 'bearer', secret: 'ANTHROPIC_API_KEY' },
      },
    });
    expect(deployment.slack).toBeUndefined();
    expect(Object.isFrozen(deployment) && Object.isFrozen(deployment.secrets)).toBe(true);
  });

  test('has only the servers that it declares', () => {
    const local = { baseUrl: 'http://127.0.0.1:11434/v1' };
    const { models, secrets } = defineDeployment({
      agents: [agent('a', { model: { name: 'm', server: 'local' } })],
      models: { local },
    });
    expect(models).toEqual({ local: { ...local, auth: 'bearer' } });
    expect(secrets).toEqual({});
  });

  test.each<[string, unknown, string]>([
    ['no agents', { agents: [] }, 'agents: name at least one agent'],
    ['an invalid agent', { agents: [{ name: 'x' }] }, 'agents.0: use defineAgent'],
    [
      'an unknown key',
      { agents: [agent('a')], webhook: {} },
      'webhook: there is no such key; did you mean webhooks?',
    ],
    [
      'a nested unknown key',
      { agents: [agent('a')], settings: { A: { description: 'd', defalt: '1' } } },
      'settings.A.defalt: there is no such key; did you mean default?',
    ],
    [
      'a key in the URL of a model server',
      { agents: [agent('a')], models: { primary: { baseUrl: 'https://me:key@models.example' } } },
      'models.primary.baseUrl: must have no user, password, ? or #: keys belong in secrets, and paths are appended to the URL',
    ],
    [
      'JWTs without an audience',
      { agents: [agent('a')], identity: { issuer: 'https://issuer.example' } },
      'identity.audience: name at least one',
    ],
    ['two agents of one name', { agents: [agent('a'), agent('a')] }, 'agents: two are named a'],
    [
      'a name that is not in upper case',
      { agents: [agent('a')], secrets: { token: described('d') } },
      'secrets.token: must be a name in capitals, such as STRIPE_WEBHOOK_SECRET',
    ],
    [
      'an invalid webhook',
      { agents: [agent('a')], webhooks: { x: { verify: {} } } },
      'webhooks.x: use defineWebhook',
    ],
    [
      'an undeclared secret of a webhook',
      { agents: [agent('a')], webhooks: { pay: hook('PAY_SECRT') }, secrets: { PAY_SECRET: described('d') } },
      'webhooks.pay.verify.secret: PAY_SECRT is not declared under secrets; did you mean PAY_SECRET?',
    ],
    [
      'an undeclared secret of a channel',
      { agents: [agent('a')], channels: { sms: channel }, secrets: { SMS_KEY: described('d') } },
      'channels.sms: SMS_KEI is not declared under secrets; did you mean SMS_KEY?',
    ],
    [
      'a channel with the name of the one that ships',
      { agents: [agent('a')], channels: { email: channel } },
      'channels: email is the channel that ships: choose another name',
    ],
    [
      'a mailbox of an unknown agent',
      {
        agents: [agent('support')],
        email: { mailboxes: { 'a@b.example': { agent: 'suport', allow: 'anyone' } } },
      },
      'email.mailboxes.a@b.example.agent: there is no agent suport; did you mean support?',
    ],
    [
      'an undeclared secret of a tool',
      { agents: [agent('a', { tools: [tool('t', { secrets: ['BANK_KEY'] })] })], secrets: {} },
      'agent a, tool t, secrets: BANK_KEY is not declared under secrets',
    ],
    [
      'an undeclared setting of a tool',
      {
        agents: [agent('a', { tools: [tool('t', { settings: ['API_URL'] })] })],
        secrets: { API_URL: described('d') },
      },
      'agent a, tool t, settings: API_URL is not declared under settings',
    ],
    [
      'a name that is a setting and a secret',
      { agents: [agent('a')], settings: { A: described('d') }, secrets: { A: described('d') } },
      'settings.A: a secret has this name too; rename one',
    ],
    [
      'an undeclared secret of a server',
      { agents: [agent('a')], models: { primary: { baseUrl: 'https://x.test', secret: 'KEY' } } },
      'models.primary.secret: KEY is not declared under secrets',
    ],
    [
      'a server URL without a scheme',
      { agents: [agent('a')], models: { primary: { baseUrl: 'x.test' } } },
      'models.primary.baseUrl: must be a URL that starts with https:// or http://',
    ],
    [
      'an undeclared server',
      { agents: [agent('a', { model: { name: 'm', server: 'primry' } })] },
      'agent a, model.server: no model server primry is declared under models; did you mean primary?',
    ],
    [
      'an unknown provider, in a fallback',
      { agents: [agent('a', { model: { name: 'm', fallbacks: [{ name: 'n', provider: 'opnai' }] } })] },
      'agent a, model.fallbacks.0.provider: there is no provider opnai; did you mean openai?',
    ],
    [
      'a provider with a reserved name',
      { agents: [agent('a')], providers: { openai: { protocol: () => {} } } },
      'providers.openai: this name is built in; choose another',
    ],
    [
      'an approver rule in its old place',
      { agents: [agent('a')], slack: { agentFor: () => 'a', mayDecide: () => false } },
      'slack: mayDecide has moved: set it in defineAgent({ mayDecide })',
    ],
    ...[{ ':memo:': 'Sum up.' }, { memo: '' }, ['memo']].map((reactions): [string, unknown, string] => [
      `reactions like ${JSON.stringify(reactions)}`,
      { agents: [agent('a')], slack: { agentFor: () => 'a', reactions } },
      'slack: reactions must be texts by names of emoji, without colons and skin tones',
    ]),
    ...[
      { 'file it': { title: 'File it', asks: 'File it.' } },
      { file: { title: 'File it' } },
      Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`s${i}`, { title: 't', asks: 'a' }])),
    ].map((shortcuts): [string, unknown, string] => [
      `shortcuts like ${JSON.stringify(shortcuts).slice(0, 60)}`,
      { agents: [agent('a')], slack: { agentFor: () => 'a', shortcuts } },
      'slack: shortcuts must be at most ten, by ids of letters, digits, - and _, with title and asks',
    ]),
    [
      'an issuer without TLS',
      { agents: [agent('a')], identity: { issuer: 'http://issuer.test', audience: 'us' } },
      'identity.issuer: must be a URL that starts with https://',
    ],
    ['nothing', undefined, 'the definition: Invalid input: expected object, received undefined'],
  ])('with %s is refused with a sentence that says where', (_what, definition, sentence) => {
    expect(said(definition)).toBe(sentence);
  });

  test('with several mistakes reports all of them, a line each', () => {
    const tools = [tool('t', { settings: ['A'], secrets: ['B'] })];
    expect(said({ agents: [agent('a', { tools }), agent('a')] }).split('\n')).toEqual([
      'agents: two are named a',
      'agent a, tool t, settings: A is not declared under settings',
      'agent a, tool t, secrets: B is not declared under secrets',
    ]);
  });
});

test('a tool may read the names that it declares, and the compiler refuses others', () => {
  const asks = defineTool({
    name: 'asks',
    description: 'A tool.',
    effect: 'read',
    input: z.object({}),
    settings: ['SHOP_URL'],
    secrets: ['SHOP_KEY'],
    async run(_input, { setting, secret }) {
      // @ts-expect-error: it does not declare this setting
      setting('SHOP_ULR');
      // @ts-expect-error: a secret is no setting
      await secret('SHOP_URL');
      return `${setting('SHOP_URL')} ${await secret('SHOP_KEY')}`;
    },
  });
  expect(asks).toMatchObject({ settings: ['SHOP_URL'], secrets: ['SHOP_KEY'] });
  expect(() => tool('wrong', { secrets: ['shop key'] })).toThrow(/secrets/);
});

describe('the facts of a deployment', () => {
  test('are plain JSON', () => {
    const facts = describeDeployment(
      defineDeployment({
        agents: [agent('a')],
        webhooks: { pay: hook('PAY_SECRET') },
        slack: { agentFor: () => 'a', feedback: true, taskCards: true },
        secrets: { PAY_SECRET: described('Signs payments.') },
        settings: { SHOP: { description: 'The shop.', default: 'tidepool' } },
        identity: { issuer: 'https://issuer.test', audience: 'us' },
      }),
    );
    expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
    expect(facts).toMatchObject({
      webhooks: ['pay'],
      slack: true,
      slackFeedback: true,
      slackTaskCards: true,
      queuedTools: false,
      settings: { SHOP: { default: 'tidepool' } },
      identity: {
        issuer: 'https://issuer.test',
        audiences: ['us'],
        tenantClaim: 'tenant',
        rolesClaim: 'roles',
      },
    });
  });

  test('give each function only the secrets that something in it names', () => {
    const tools = [
      tool('near', { secrets: ['A', 'B'] }),
      tool('far', { secrets: ['B', 'C'], where: 'queue' }),
      tool('asked', { secrets: ['UNREAD'], where: 'person' }),
    ];
    const names = ['A', 'B', 'C', 'HOOK', 'UNREAD', 'UNUSED'];
    const { secretsOf, queuedTools } = describeDeployment(
      defineDeployment({
        agents: [agent('a', { tools }), agent('b', { tools })],
        webhooks: { pay: hook('HOOK') },
        secrets: Object.fromEntries(names.map((name) => [name, described('d')])),
      }),
    );
    expect(secretsOf).toEqual({
      step: ['A', 'ANTHROPIC_API_KEY', 'B'],
      tool: ['B', 'C'],
      hooks: ['HOOK'],
      channels: [],
      deliver: [],
    });
    expect(queuedTools).toBe(true);
  });

  test('name the packages that do not come along: those of some providers, and of Stripe', () => {
    const packages = (one: Parameters<typeof agent>[1], webhooks: DeploymentDefinition['webhooks'] = {}) =>
      describeDeployment(
        defineDeployment({ agents: [agent('a', one)], webhooks, secrets: { HOOK: described('d') } }),
      ).packages;
    expect(packages({})).toEqual([]);
    for (const provider of ['openai', 'openai-xml', 'openai-responses'])
      expect(packages({ model: { name: 'm', provider } })).toEqual(['openai']);
    const chosen = { model: () => 'm', models: [{ name: 'm' }, { name: 'n', provider: 'openai' }] };
    expect(packages(chosen, { pay: hook('HOOK') })).toEqual(['openai', 'stripe']);
    const other = { name: 'm', provider: 'openai' } as const;
    expect(packages({ model: { name: 'm', fallbacks: [other] } })).toEqual(['openai']);
    expect(packages({ model: { name: 'm', summarizer: other } })).toEqual(['openai']);
  });

  test('say whether steps start a shell or a compiler; the queue does not count', () => {
    const isHeavy = (...tools: Parameters<typeof tool>[]) =>
      describeDeployment(
        defineDeployment({ agents: [agent('a', { tools: tools.map((args) => tool(...args)) })] }),
      ).heavySteps;
    expect(isHeavy(['plain', {}])).toBe(false);
    expect(isHeavy(['plain', {}], ['shell', { evidence: { shell: true } }])).toBe(true);
    expect(isHeavy(['compiler', { evidence: { compiles: true, verifies: true } }])).toBe(true);
    expect(isHeavy(['compiler', { evidence: { compiles: true, verifies: true }, where: 'queue' }])).toBe(
      false,
    );
  });

  test('give the secrets of a tool source to the step, which lists them, and to the queue only if the source says so', () => {
    const source = (name: string, queue?: boolean) =>
      defineToolSource({ name, secrets: [name.toUpperCase()], list: () => [], get: () => () => 'ok', queue });
    const secrets = { FIRST: described('x'), SECOND: described('x') };
    const factsOf = (queue?: boolean) =>
      describeDeployment(
        defineDeployment({
          secrets,
          models: { primary: { baseUrl: 'http://127.0.0.1:1' } },
          agents: [agent('a', { toolSources: [source('first'), source('second', queue)] })],
        }),
      );
    expect(factsOf()).toMatchObject({
      secretsOf: { step: ['FIRST', 'SECOND'], tool: [] },
      queuedTools: false,
    });
    expect(factsOf(true)).toMatchObject({ secretsOf: { tool: ['SECOND'] }, queuedTools: true });
    expect(said({ agents: [agent('a', { toolSources: [source('other')] })] })).toContain(
      'agent a, tool source other, secrets: OTHER is not declared under secrets',
    );
  });

  test('name the once tools of each agent that start without approval', () => {
    const tools = [
      tool('look', { approval: 'never' }),
      tool('refund', { effect: 'once' }),
      tool('note', { effect: 'once', approval: 'never' }),
      tool('pay', { effect: 'once', approval: () => false }),
    ];
    const { agents } = describeDeployment(
      defineDeployment({
        agents: [agent('asks', { tools }), agent('by-tool', { tools, approvals: 'by_tool' })],
      }),
    );
    expect(agents).toEqual([
      { name: 'asks', unasked: ['note'], skills: [] },
      { name: 'by-tool', unasked: ['refund', 'note'], skills: [] },
    ]);
  });
});
