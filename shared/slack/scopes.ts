/**
 * The bot's permissions in a workspace, and why it has them: docs/slack.md#scopes. The manifest asks for the same
 * (`local/slack/manifest.ts`).
 */
const botScopes = [
  'app_mentions:read',
  'channels:history',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'im:history',
  'im:write',
  'mpim:history',
  'users:read',
] as const;

/** The parts of an app that need scopes of their own: keys of the definition. */
export interface ScopedParts {
  /** The assistant's pane. */
  readonly assistant?: boolean;
  /** Reactions with which people give messages to agents. */
  readonly reactions?: boolean;
}

/** The bot's permissions for an app with these parts. */
export const scopesFor = ({ assistant = false, reactions = false }: ScopedParts): string[] => [
  ...botScopes,
  ...(assistant ? ['assistant:write'] : []),
  ...(reactions ? ['reactions:read'] : []),
];
