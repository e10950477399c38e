/**
 * The definition of this deployment: its agents, what wakes them, and what they need. Start here: add an agent to the
 * list, or run a definition of your own with `npm start -- --definition FILE`.
 */

import { defineDeployment, defineWebhook } from 'steploop';
import { assistant } from './agents/assistant/agent.ts';
import { triage } from './agents/triage/agent.ts';
import { onGithub } from './agents/triage/webhook.ts';

export default defineDeployment({
  agents: [triage, assistant],
  /** By the last part of the URL: `POST /hooks/github`. */
  webhooks: {
    github: defineWebhook({ verify: { kind: 'github', secret: 'GITHUB_WEBHOOK_SECRET' }, map: onGithub }),
  },
  /** The agent that answers in Slack, by workspace, channel and user: docs/slack.md. */
  slack: { agentFor: () => 'assistant' },
  agui: true,
  chat: true,
  callbacks: true,
  settings: {
    GITHUB_API_URL: { description: 'Base URL of the GitHub REST API.', default: 'https://api.github.com' },
  },
  secrets: {
    GITHUB_TOKEN: {
      description: 'GitHub token of the tools that triage, or the GitHub App that they act as.',
    },
    GITHUB_WEBHOOK_SECRET: { description: 'What GitHub signs its webhooks with.' },
  },
});
