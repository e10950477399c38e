/**
 * The bot's permissions in a workspace, and why it has them: docs/slack.md#scopes. The manifest asks for the same
 * (`local/slack/manifest.ts`).
 */
export const botScopes = [
  'app_mentions:read',
  'channels:history',
  'chat:write',
  'commands',
  'files:read',
  'groups:history',
  'im:history',
  'im:write',
  'mpim:history',
  'users:read',
] as const;

/** For the assistant's pane (`assistant` of the definition). */
export const assistantScope = 'assistant:write';
