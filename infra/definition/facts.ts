/** Runs in the process that loads a definition, bundled together with it. */

import * as z from 'zod';
import type { DeploymentFacts } from '../../shared/contract/facts.ts';

interface AgentLike {
  readonly name: string;
  readonly approvals: { readonly effects: readonly string[] };
  readonly tools: readonly { name: string; effect: string; where?: string; approval?: unknown }[];
}

const made = <T extends object>(by: string, has: (value: object) => boolean) =>
  z.custom<T>((value) => typeof value === 'object' && value !== null && has(value), `use ${by}`);

const Exports = z.object({
  identity: z.object({ issuer: z.string(), audiences: z.array(z.string()) }).optional(),
  agents: z.array(
    made<AgentLike>('defineAgent', (agent) => 'name' in agent && 'limits' in agent && 'tools' in agent),
  ),
  webhooks: z.record(
    z.string(),
    made('defineWebhook', (source) => 'verify' in source && 'map' in source && 'tenant' in source),
  ),
  slack: made(
    'a SlackConfig',
    (config) => 'agentFor' in config && typeof config.agentFor === 'function',
  ).refine((config) => !('mayDecide' in config), 'mayDecide has moved: say it in defineAgent({ mayDecide })'),
});

/** What the exports say. Throws with a sentence when they are not what the functions import. */
export function factsOf(defined: unknown): DeploymentFacts {
  const parsed = Exports.safeParse(defined);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    throw new Error(`must export agents, webhooks and slack (docs/extending.md). ${wrong}.`);
  }
  const { agents, webhooks, identity } = parsed.data;
  const secret = (description: string) => ({ description });
  return {
    agents: agents.map(({ name, approvals, tools }) => ({
      name,
      unasked: tools
        .filter(
          ({ effect, approval }) =>
            effect === 'once' &&
            (approval === 'never' || (approval === undefined && !approvals.effects.includes('once'))),
        )
        .map((tool) => tool.name),
    })),
    settings: {
      GITHUB_API_URL: { description: 'Base URL of the GitHub REST API.', default: 'https://api.github.com' },
    },
    secrets: {
      MODEL_KEY: secret('API key of the first model server.'),
      SECOND_MODEL_KEY: secret('API key of the second model server.'),
      GITHUB_TOKEN: secret('GitHub token for the tools.'),
      GITHUB_WEBHOOK_SECRET: secret('The secret that GitHub signs its webhooks with.'),
      WEBHOOK_SECRETS: secret('JSON of the secrets that senders of webhooks sign with, by setting name.'),
    },
    secretsOf: {
      step: ['GITHUB_TOKEN', 'MODEL_KEY', 'SECOND_MODEL_KEY'],
      tool: ['GITHUB_TOKEN'],
      hooks: ['GITHUB_WEBHOOK_SECRET', 'WEBHOOK_SECRETS'],
    },
    models: {
      primary: { baseUrl: 'https://api.anthropic.com', auth: 'bearer', secret: 'MODEL_KEY' },
      secondary: { baseUrl: 'https://api.openai.com/v1', auth: 'bearer', secret: 'SECOND_MODEL_KEY' },
    },
    webhooks: Object.keys(webhooks),
    slack: true,
    agui: true,
    callbacks: true,
    queuedTools: true,
    ...(identity && { identity: { ...identity, tenantClaim: 'tenant', rolesClaim: 'roles' } }),
  };
}
