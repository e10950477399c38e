/**
 * The definition of the end-to-end tests. Its tools ask the test's own server what to do, through a setting, so a test
 * sees every start of a tool and can let it hang or fail.
 */

import * as z from 'zod';
import { agent as operations } from '../../../agents/samples/operations/agent.ts';
import type { Effect } from '../../../shared/agent/config/effects.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askForm } from '../../../shared/agent/define/ask-form.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import {
  type ChannelThread,
  type ChannelTools,
  defineChannel,
} from '../../../shared/agent/define/channel.ts';
import { defineDeployment } from '../../../shared/agent/define/deployment.ts';
import { map, race } from '../../../shared/agent/define/shapes.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { defineToolSource } from '../../../shared/agent/define/tool-source.ts';
import { defineWebhook, type WebhookMapping } from '../../../shared/agent/define/webhook.ts';
import { image } from '../../../shared/agent/tools/shown.ts';
import type { ToolDeclaration } from '../../../shared/agent/tools/source.ts';
import type { ToolContext } from '../../../shared/agent/tools/tool.ts';
import { remoteAgent } from '../../../tools/a2a/index.ts';
import { sendFiles } from '../../../tools/files/send-files.ts';
import { mcpServer } from '../../../tools/mcp/index.ts';
import { memoryTools } from '../../../tools/memory.ts';
import { pageState } from '../../../tools/page-state.ts';
import { pngOf } from '../images.ts';

async function askTest(
  name: string,
  input: unknown,
  { setting, idempotencyKey, signal }: ToolContext<'TOOLS_URL'>,
) {
  const response = await fetch(`${setting('TOOLS_URL')}/tools/${name}`, {
    method: 'POST',
    body: JSON.stringify({ input, idempotencyKey }),
    signal,
  });
  return response.json();
}

const tool = (name: string, effect: Effect, timeoutSeconds?: number) =>
  defineTool({
    name,
    description: `A tool with the effect "${effect}".`,
    input: z.object({ n: z.number() }),
    effect,
    settings: ['TOOLS_URL'],
    approval: 'never',
    ...(timeoutSeconds && { timeoutSeconds }),
    run: (input, context) => askTest(name, input, context),
  });

/** A tool that hands the test a URL to answer at. */
const handsOut = (name: string, where: 'inline' | 'queue') =>
  defineTool({
    name,
    description: 'Is answered later.',
    input: z.object({ n: z.number() }),
    effect: 'once',
    where,
    settings: ['TOOLS_URL'],
    approval: 'never',
    run: async ({ n }, context) => {
      const later = await context.later({ expiresAfterSeconds: 600 });
      await askTest(name, { n, url: later.url }, context);
      context.progress('handed out', 0.1);
      return later;
    },
  });

/** Tools that people and workers must settle before the run continues. */
const waiting = [
  { ...tool('transfer', 'once'), approval: 'always' as const },
  askUser,
  { ...tool('dig', 'idempotent'), where: 'queue' as const, secrets: ['QUEUE_KEY'] },
  { ...tool('launch', 'once'), where: 'queue' as const },
  // A short limit, so that a killed worker is replaced soon.
  { ...tool('haul', 'idempotent', 5), where: 'queue' as const },
  { ...tool('ship', 'once', 5), where: 'queue' as const },
  handsOut('export', 'inline'),
  handsOut('export_slowly', 'queue'),
];

const tools = [
  tool('look', 'read'),
  tool('save', 'idempotent'),
  tool('pay', 'once'),
  { ...tool('stall', 'read', 1), secrets: ['TOOLS_KEY'] },
  defineTool({
    name: 'flood',
    description: 'Says more than fits.',
    input: z.object({}),
    effect: 'read',
    run: () => 'x'.repeat(600_000),
  }),
  defineTool({
    name: 'break',
    description: 'Throws, or returns what is not JSON.',
    input: z.object({ how: z.enum(['throw', 'bigint']) }),
    effect: 'read',
    run: ({ how }) => {
      if (how === 'throw') throw new Error('the pipe burst');
      return 10n;
    },
  }),
];

/** Adds to a file of the session. The `bytes` are not text. */
const draft = defineTool({
  name: 'draft',
  description: 'Adds to a file.',
  input: z.object({ path: z.string(), text: z.string().default(''), bytes: z.array(z.number()).optional() }),
  effect: 'idempotent',
  async run({ path, text, bytes }, { services: { workspace } }) {
    const before = (await workspace.stat(path)) ? await workspace.read(path) : new Uint8Array();
    await workspace.write(path, new Uint8Array([...before, ...(bytes ?? new TextEncoder().encode(text))]));
    return [...(await workspace.read(path))].join();
  },
});

/** Lists two tools of the test's server, and runs their calls there. */
const shop = defineToolSource({
  name: 'shop',
  queue: true,
  settings: ['TOOLS_URL'],
  async list({ setting, services }) {
    const response = await services.fetch(`${setting('TOOLS_URL')}/tools/list`, {
      method: 'POST',
      body: '{}',
    });
    return (await response.json()) as ToolDeclaration[];
  },
  get:
    ({ name }) =>
    async (input, { setting, services, idempotencyKey }) => {
      const body = JSON.stringify({ input, idempotencyKey });
      const url = `${setting('TOOLS_URL')}/tools/${name}`;
      return (await services.fetch(url, { method: 'POST', body })).json();
    },
});

/**
 * Works for thousands of steps, with a model whose window is `window` tokens: the context outgrows it again and again.
 */
const lifelong = (name: string, window: number) =>
  defineAgent({
    name,
    version: '1',
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window },
    system: 'You look at pages.',
    tools: [
      defineTool({
        name: 'leaf',
        description: 'Shows a page.',
        input: z.object({ n: z.number() }),
        effect: 'read',
        run: ({ n }) => `${n}: `.padEnd(1_024, 'y'),
      }),
    ],
    limits: { maxSteps: 10_000, maxToolCalls: 100_000 },
  });

/** Works on parts of what the leader does. */
const helper = defineAgent({
  name: 'helper',
  version: '1',
  model: { name: 'claude-sonnet-5-5' },
  system: 'You help.',
  tools: [...tools, askUser, { ...tool('transfer', 'once'), approval: 'always' as const }],
});

/** Shapes that ask the helper. */
const mapper = map({ name: 'mapper', agent: helper, width: 20, reportChars: 200_000 });
const racer = race({ name: 'racer', agent: helper, n: 3 });

/** Asks questions that only finance may answer. */
const teller = defineAgent({
  name: 'teller',
  version: '1',
  model: { name: 'claude-sonnet-5-5' },
  system: 'You ask.',
  tools: [askUser],
  approvals: { answerers: ['role:finance'] },
});

const agents = [
  operations,
  lifelong('lifelong', 200_000),
  lifelong('forgetful', 12_000),
  lifelong('enduring', 1_000_000),
  defineAgent({
    name: 'shopper',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    toolSources: [shop],
  }),
  defineAgent({
    name: 'reader',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    skills: ['house-rules'],
  }),
  defineAgent({
    name: 'guest',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    toolSources: [mcpServer({ name: 'all', url: { setting: 'MCP_URL' }, effects: { echo: 'read' } })],
  }),
  defineAgent({
    name: 'traveler',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    // A short limit, so that a killed worker is replaced soon.
    tools: [
      remoteAgent({ name: 'travel', when: 'For journeys.', url: { setting: 'A2A_URL' }, waitSeconds: 10 }),
    ],
  }),
  defineAgent({
    name: 'worker',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    tools: [...tools, ...waiting, askForm, draft, sendFiles],
    limits: { maxSteps: 100 },
    guardrails: { loop: { stepRepeat: { limit: 3 } } },
  }),
  defineAgent({
    name: 'editor',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    tools: [draft, { ...draft, name: 'draft_later', where: 'queue' }],
  }),
  defineAgent({
    name: 'painter',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    tools: [
      defineTool({
        name: 'paint',
        description: 'Shows a picture.',
        input: z.object({}),
        effect: 'read',
        run: () => image({ bytes: pngOf(4, 3), name: 'painted.png' }),
      }),
    ],
  }),
  defineAgent({
    name: 'sharer',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    tools: [pageState(z.object({ city: z.string() }))],
  }),
  helper,
  mapper,
  racer,
  teller,
  defineAgent({
    name: 'leader',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You lead.',
    tools,
    agents: {
      helper: { agent: helper, when: 'For parts of the work.' },
      teller: { agent: teller, when: 'For questions to finance.' },
    },
  }),
  defineAgent({
    name: 'reporter',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You report.',
    tools: [tool('look', 'read')],
    answer: z.object({ severity: z.enum(['low', 'high']), labels: z.array(z.string()).default([]) }),
  }),
  defineAgent({
    name: 'planner',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    tools: [...tools, { ...draft, drafts: true }],
    mode: 'plan',
  }),
  defineAgent({
    name: 'rememberer',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    tools: [...memoryTools({ scopes: ['user', 'tenant'] })],
  }),
  defineAgent({
    name: 'archivist',
    version: '1',
    model: { name: 'claude-sonnet-5-5', window: 1_000_000 },
    system: 'You do what the test says.',
    tools: [tool('look', 'read')],
    limits: { maxSteps: 10_000, maxToolCalls: 100_000 },
    guardrails: { context: { strategy: 'none' } },
  }),
  defineAgent({
    name: 'gatherer',
    version: '1',
    model: { name: 'claude-sonnet-5-5', window: 16_000, maxTokens: 1_000, price: { input: 1, output: 10 } },
    system: 'You do what the test says.',
    tools: [tool('look', 'read')],
    limits: { maxSteps: 100 },
  }),
  defineAgent({
    name: 'hasty',
    version: '1',
    model: { name: 'claude-sonnet-5-5' },
    system: 'You do what the test says.',
    tools: waiting,
    approvals: { expireAfterSeconds: 3 },
    limits: { queuedCallSeconds: 20 },
  }),
  defineAgent({
    name: 'failing-over',
    version: '1',
    model: {
      name: 'claude-sonnet-5-5',
      fallbacks: [{ provider: 'openai', server: 'secondary', name: 'gpt-5' }],
    },
    system: 'You do what the test says.',
    tools,
  }),
  defineAgent({
    name: 'on-bedrock',
    version: '1',
    model: {
      provider: 'bedrock-converse',
      server: 'bedrock',
      name: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    },
    system: 'You do what the test says.',
    tools,
  }),
  defineAgent({
    name: 'on-gemini',
    version: '1',
    model: { provider: 'gemini', server: 'google', name: 'gemini-3.8-flash' },
    system: 'You do what the test says.',
    tools,
  }),
];

/** One session per issue, as in the triage agent. */
const onGithub: WebhookMapping = ({ name, payload }) => {
  const issue = z.object({
    action: z.literal('opened'),
    issue: z.object({ number: z.number(), title: z.string() }),
  });
  const parsed = issue.safeParse(payload);
  if (name !== 'issues' || !parsed.success) return undefined;
  const { number, title } = parsed.data.issue;
  return { agent: 'worker', sessionKey: `github:test#${number}`, message: title };
};

/** One session per object of the event. The message is the event's id. */
const StripeEvent = z.object({
  id: z.string(),
  data: z.object({
    object: z.object({
      id: z.string(),
      metadata: z.object({ callback: z.string().optional(), slack: z.string().optional() }).optional(),
    }),
  }),
});

/** One session per `key` of the payload, with its `say` as the message. */
const Say = z.object({ key: z.string(), say: z.string() });
const toWorker = (source: string) => (event: { payload: z.output<typeof Say> }) => ({
  agent: 'worker',
  sessionKey: `${source}:${event.payload.key}`,
  message: event.payload.say,
});

const webhooks = {
  github: defineWebhook({
    verify: { kind: 'github', secret: 'GITHUB_WEBHOOK_SECRET' },
    map: onGithub,
  }),
  stripe: defineWebhook({
    verify: { kind: 'stripe', secret: 'STRIPE_WEBHOOK_SECRET' },
    payload: StripeEvent,
    map: ({ name, payload }) => {
      const { id, metadata } = payload.data.object;
      const [team, channel] = metadata?.slack?.split(':') ?? [];
      return {
        agent: 'worker',
        sessionKey: `stripe:${id}`,
        message: `${name} ${payload.id}`,
        ...(metadata?.callback && { callbackUrl: metadata.callback }),
        ...(team && channel && { slack: { team, channel, title: `Order ${id}` } }),
      };
    },
  }),
  standard: defineWebhook({
    verify: { kind: 'standard', secret: 'STANDARD_WEBHOOK_SECRET' },
    tenant: 'partner',
    payload: Say,
    map: toWorker('standard'),
  }),
  broken: defineWebhook({
    verify: { kind: 'standard', secret: 'STANDARD_WEBHOOK_SECRET' },
    tenant: 'acme',
    map: () => {
      throw new Error('the mapping burst');
    },
  }),
  unset: defineWebhook({
    verify: { kind: 'hmac', secret: 'NOBODY_HAS_SET_THIS', header: 'x-signature' },
    map: () => undefined,
  }),
};

/** A channel whose far end is the tests' own server. */
const page = async (path: string, said: object, thread: ChannelThread, { setting, signal }: ChannelTools) => {
  const body = JSON.stringify({ input: { ...said, thread }, idempotencyKey: '' });
  const response = await fetch(`${setting('TOOLS_URL')}/tools/${path}`, { method: 'POST', body, signal });
  // The tests' server answers with nothing if the pager is to be down.
  await response.json();
};
const pager = defineChannel({
  verify: { kind: 'standard', secret: 'STANDARD_WEBHOOK_SECRET' },
  read: ({ payload }) => {
    const { from, thread, text } = Object(payload);
    return text && { agent: 'worker', thread, from: { id: from }, text, place: { number: from } };
  },
  progress: (thread, tools) => page('pager-progress', {}, thread, tools),
  ask: (asked, thread, tools) => page('pager-ask', asked, thread, tools),
  answer: (said, thread, tools) => page('pager-answer', said, thread, tools),
});

const described = (what: string) => ({ description: `What ${what} for the tests.` });

export default defineDeployment({
  agents,
  webhooks,
  /** The agent for people of other organisations waits for nothing for long. */
  slack: {
    agentFor: ({ external }) => (external ? 'hasty' : 'worker'),
    feedback: true,
    reactions: { memo: 'Sum this up.' },
    shortcuts: { file_it: { title: 'File it', asks: 'File this.' } },
    assistant: { prompts: () => [{ title: 'Paint', message: 'Paint my fence.' }] },
    replies: ({ external }) => !external,
  },
  email: {
    mailboxes: {
      'help@acme.example': {
        agent: 'worker',
        allow: ['@example.com', 'carol@partner.example'],
        name: 'Acme help',
      },
      'open@acme.example': { agent: 'worker', allow: 'anyone' },
      'help@other.example': { agent: 'worker', tenant: 'other', allow: ['@example.com'] },
    },
  },
  channels: { pager },
  agui: true,
  mcp: true,
  a2a: true,
  chat: true,
  callbacks: true,
  /** Tests of JWTs configure their own issuer. */
  identity: { issuer: 'https://issuer.invalid', audience: 'nobody' },
  settings: {
    TOOLS_URL: { ...described('answers tools'), default: 'http://127.0.0.1:9' },
    MCP_URL: { ...described('speaks MCP'), default: 'http://127.0.0.1:9' },
    A2A_URL: { ...described('speaks A2A'), default: 'http://127.0.0.1:9' },
    MONITOR_URL: { ...described('is the monitoring'), default: 'http://127.0.0.1:9' },
    RUNBOOKS_URL: { ...described('carries out runbooks'), default: 'http://127.0.0.1:9' },
  },
  secrets: {
    GITHUB_WEBHOOK_SECRET: described('GitHub signs with'),
    STRIPE_WEBHOOK_SECRET: described('Stripe signs with'),
    STANDARD_WEBHOOK_SECRET: described('others sign with'),
    NOBODY_HAS_SET_THIS: described('signs nothing'),
    FIRST_KEY: described('the first model server takes'),
    SECOND_KEY: described('the second one takes'),
    TOOLS_KEY: described('a tool in the step reads'),
    QUEUE_KEY: described('a tool in the queue reads'),
  },
  models: {
    primary: { baseUrl: 'https://api.anthropic.com', secret: 'FIRST_KEY' },
    secondary: { baseUrl: 'https://api.openai.com/v1', secret: 'SECOND_KEY' },
    bedrock: { baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com' },
    google: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', secret: 'SECOND_KEY' },
  },
});
