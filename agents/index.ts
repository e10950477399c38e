/**
 * The agents of this deployment, and the webhooks that wake them. Start here: add an agent to the list, or
 * run your own folder with `npm start -- --agents DIR` (its `index.ts` exports the same names).
 */

import { type Agent, defineWebhook, type SlackConfig, type WebhookSource } from 'steploop';
import { assistant } from './assistant/agent.ts';
import { triage } from './triage/agent.ts';
import { onGithub } from './triage/webhook.ts';

export const agents: readonly Agent[] = [triage, assistant];

/** By the last part of the URL: `POST /hooks/github`. */
export const webhooks: Readonly<Record<string, WebhookSource>> = {
  // Marked pure, so that functions which take no webhooks leave it out of their bundles.
  github: /* @__PURE__ */ defineWebhook({
    verify: { kind: 'github', secret: 'GITHUB_WEBHOOK_SECRET_ID' },
    map: onGithub,
  }),
};

/** Who answers in Slack, by workspace, channel and user: docs/slack.md. */
export const slack: SlackConfig = { agentFor: () => 'assistant' };
