import { defineDeployment } from 'steploop';
import { reviewer } from './agents/reviewer.ts';
import { onPullRequest } from './agents/webhook.ts';

/** The unit of deployment: the agents, and their shared configuration. */
export default defineDeployment({
  agents: [reviewer],
  // POST /hooks/github
  webhooks: { github: onPullRequest },
  settings: {
    GITHUB_API_URL: { description: 'Base URL of the GitHub REST API.', default: 'https://api.github.com' },
  },
  secrets: {
    GITHUB_TOKEN: { description: 'A token that may read and review pull requests.' },
    GITHUB_WEBHOOK_SECRET: { description: 'What GitHub signs its webhooks with.' },
  },
});
