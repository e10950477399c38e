import { expect, test } from 'vitest';
import { differences } from '../../../cli/dev/live/differences.ts';
import type { DeploymentFacts } from '../../../shared/contract/facts.ts';

const facts: DeploymentFacts = {
  agents: [{ name: 'support', unasked: [], skills: [] }],
  settings: { SHOP_URL: { description: 'd', default: 'https://shop.example' } },
  secrets: { KEY: { description: 'd' } },
  secretsOf: { step: ['KEY'], tool: [], hooks: [], channels: [], deliver: [] },
  mailboxes: [],
  channels: [],
  models: { primary: { baseUrl: 'https://api.anthropic.com', auth: 'bearer', secret: 'KEY' } },
  bedrockModels: [],
  webhooks: [],
  packages: [],
  mcp: false,
  a2a: false,
  schedules: '',
  slack: false,
  slackFeedback: false,
  slackTaskCards: false,
  agui: false,
  chat: false,
  callbacks: false,
  queuedTools: false,
  heavySteps: false,
};

test('agents and defaults of settings are in the code only', () => {
  expect(
    differences(facts, {
      ...facts,
      agents: [...facts.agents, { name: 'sales', unasked: ['pay'], skills: ['refunds'] }],
      settings: { SHOP_URL: { description: 'd', default: 'https://other.example' } },
    }),
  ).toEqual([]);
});

test.each<[string, Partial<DeploymentFacts>]>([
  ['settings', { settings: { ...facts.settings, MORE: { description: 'd', default: 'x' } } }],
  ['settings', { settings: { SHOP_URL: { description: 'd' } } }],
  ['secrets', { secrets: { ...facts.secrets, MORE: { description: 'd' } } }],
  ['the access to secrets', { secretsOf: { ...facts.secretsOf, step: [], tool: ['KEY'] } }],
  ['model servers', { models: {} }],
  ['the models of Bedrock', { bedrockModels: ['eu.anthropic.*'] }],
  ['webhooks', { webhooks: ['stripe'] }],
  ['Slack', { slack: true }],
  ['ratings in Slack', { slackFeedback: true }],
  ['task cards in Slack', { slackTaskCards: true }],
  ['e-mail addresses', { mailboxes: ['help@acme.example'] }],
  ['channels', { channels: ['sms'] }],
  ['AG-UI', { agui: true }],
  ['chat of the AI SDK', { chat: true }],
  ['callbacks', { callbacks: true }],
  ['the tool queue', { queuedTools: true }],
  ['the memory of steps', { heavySteps: true }],
  ['identity', { identity: { issuer: 'i', audiences: [], tenantClaim: 't', rolesClaim: 'r' } }],
])('a change of %s changes the template', (what, change) => {
  expect(differences(facts, { ...facts, ...change })).toEqual([what]);
});

test('several differences are all reported', () => {
  expect(differences(facts, { ...facts, slack: true, queuedTools: true })).toEqual([
    'Slack',
    'the tool queue',
  ]);
});
